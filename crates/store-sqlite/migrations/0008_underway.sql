-- Work under way in a coordinator. Where it dies, the mark stays and says what it was at.
CREATE TABLE underway (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    -- Who is at it; none where that coordinator died and no other has begun yet.
    instance TEXT,
    -- When that one was last heard of.
    seen_at INTEGER NOT NULL,
    -- How often coordinators have died of it since it last made progress.
    deaths INTEGER NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

-- Why a workflow run was ended without a step of its own, as JSON.
ALTER TABLE workflow_runs ADD COLUMN failure TEXT;
CREATE INDEX workflow_runs_poisoned ON workflow_runs (created_at) WHERE failure IS NOT NULL;
CREATE INDEX runs_poisoned ON runs (created_at) WHERE failure_type = 'poisoned';
