-- What runs did, step by step, so that the next runner continues where the last one was.
CREATE TABLE steps (
    run_id text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    -- 0 if the coordinator wrote it.
    delivery bigint NOT NULL,
    at bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (run_id, number)
);

ALTER TABLE runs ADD COLUMN waits_until bigint;
-- Runs that wait for their children or for a person are few among all, and are looked for after every end of a run.
CREATE INDEX runs_suspended ON runs (status, created_at, id) WHERE status IN ('waiting', 'input_required');
