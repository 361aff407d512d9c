-- What lists show and search of an input. Apart from the runs, whose rows change often, and from the parameters, which are long.
CREATE TABLE run_inputs (
    run_id text COLLATE "C" PRIMARY KEY,
    preview text NOT NULL,
    -- Names and values in lower case.
    searched text COLLATE "C" NOT NULL
);
INSERT INTO run_inputs (run_id, preview, searched)
SELECT r.id, left(a.parameters, 160),
    lower(r.id || ' ' || r.session_id || ' ' || r.agent_name || ' ' || left(a.parameters, 4000))
FROM runs r JOIN assignments a ON a.run_id = r.id;

CREATE TABLE workflow_inputs (
    workflow_run_id text COLLATE "C" PRIMARY KEY,
    preview text NOT NULL,
    searched text COLLATE "C" NOT NULL
);
INSERT INTO workflow_inputs (workflow_run_id, preview, searched)
SELECT id, '', lower(id || ' ' || workflow_name) FROM workflow_runs;

-- The filters by name of lists: without them the runs of a rare agent are looked for among all.
CREATE INDEX runs_of_agent ON runs (agent_name, created_at, id);
CREATE INDEX sessions_of_agent ON sessions (agent_name, created_at, id);
CREATE INDEX workflow_runs_of_name ON workflow_runs (workflow_name, created_at, id);

-- Unvalidated output goes when its run is over.
CREATE INDEX events_output ON events (run_id) WHERE kind = 'output.delta';

-- Commands have no model.
UPDATE attempts SET model = '' WHERE record::json ->> 'endpoint' = 'process';
