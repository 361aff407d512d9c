-- What lists show and search of an input. Apart from the runs, whose rows change often, and from the parameters, which are long.
CREATE TABLE run_inputs (
    run INTEGER PRIMARY KEY,
    preview TEXT NOT NULL,
    -- Names and values in lower case.
    searched TEXT NOT NULL
) STRICT;
INSERT INTO run_inputs (run, preview, searched)
SELECT r.seq, substr(a.parameters, 1, 160),
    lower(r.id || ' ' || s.id || ' ' || r.agent_name || ' ' || substr(a.parameters, 1, 4000))
FROM runs r JOIN sessions s ON s.seq = r.session JOIN assignments a ON a.run = r.seq;

CREATE TABLE workflow_inputs (
    workflow_run INTEGER PRIMARY KEY,
    preview TEXT NOT NULL,
    searched TEXT NOT NULL
) STRICT;
INSERT INTO workflow_inputs (workflow_run, preview, searched)
SELECT seq, '', lower(id || ' ' || workflow_name) FROM workflow_runs;

-- Unvalidated output goes when its run is over.
CREATE INDEX events_output ON events (run) WHERE kind = 'output.delta';

-- Commands have no model.
UPDATE attempts SET model = '' WHERE json_extract(document, '$.endpoint') = 'process';
