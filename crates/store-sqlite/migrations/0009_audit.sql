-- Who changed what. Rows are added, never changed, and removed only when they are old.
CREATE TABLE audit (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    action TEXT NOT NULL,
    object TEXT,
    hash TEXT,
    actor_kind TEXT NOT NULL,
    actor_id TEXT,
    actor_name TEXT,
    address TEXT,
    forwarded_for TEXT
) STRICT;
CREATE INDEX audit_at ON audit (at);

ALTER TABLE runs ADD COLUMN requested_by TEXT;
ALTER TABLE workflow_runs ADD COLUMN requested_by TEXT;

ALTER TABLE keys ADD COLUMN expires_at INTEGER;
ALTER TABLE keys ADD COLUMN last_used_at INTEGER;
