-- What runs did, step by step, so that the next runner continues where the last one was.
CREATE TABLE steps (
    run INTEGER NOT NULL,
    number INTEGER NOT NULL,
    -- 0 if the coordinator wrote it.
    delivery INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run, number)
) STRICT;

ALTER TABLE runs ADD COLUMN waits_until INTEGER;
-- Runs that wait for their children or for a person are few among all, and are looked for after every end of a run.
CREATE INDEX runs_suspended ON runs (status, created_at) WHERE status = 'waiting' OR status = 'input_required';
