-- Work under way in a coordinator. Where it dies, the mark stays and says what it was at.
CREATE TABLE underway (
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    -- Who is at it; none where that coordinator died and no other has begun yet.
    instance text COLLATE "C",
    -- When that one was last heard of.
    seen_at bigint NOT NULL,
    -- How often coordinators have died of it since it last made progress.
    deaths bigint NOT NULL,
    PRIMARY KEY (kind, id)
);

-- Why a workflow run was ended without a step of its own, as JSON.
ALTER TABLE workflow_runs ADD COLUMN failure text;
CREATE INDEX workflow_runs_poisoned ON workflow_runs (created_at, id) WHERE failure IS NOT NULL;
CREATE INDEX runs_poisoned ON runs (created_at, id) WHERE failure_type = 'poisoned';
