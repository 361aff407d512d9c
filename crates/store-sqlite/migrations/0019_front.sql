-- The tools of a run's caller.
ALTER TABLE assignments ADD COLUMN tools TEXT;

-- Requests whose callers wait for the answer: who is still there, and what a repeated one joins.
CREATE TABLE front_requests (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    work TEXT,
    is_named INTEGER NOT NULL,
    is_reason INTEGER NOT NULL,
    begun_at INTEGER NOT NULL,
    waiting INTEGER NOT NULL,
    waited_until INTEGER NOT NULL,
    left_at INTEGER,
    closed_at INTEGER,
    PRIMARY KEY (scope, key)
) WITHOUT ROWID;
CREATE INDEX front_requests_equal ON front_requests (scope, fingerprint, begun_at);
CREATE INDEX front_requests_begun ON front_requests (begun_at);
CREATE INDEX front_requests_open ON front_requests (waited_until) WHERE closed_at IS NULL;
