-- As many rows as a run of Accord has, with what they are found by.
CREATE TABLE load_runs (
    id bigint PRIMARY KEY,
    status text NOT NULL,
    input text NOT NULL,
    result text,
    created_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 80);
CREATE INDEX load_runs_waiting ON load_runs (created_at, id) WHERE status = 'pending';
CREATE INDEX load_runs_by_time ON load_runs (created_at, id);
CREATE TABLE load_events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id bigint NOT NULL,
    body text NOT NULL
);
CREATE INDEX load_events_of_run ON load_events (run_id, id);
