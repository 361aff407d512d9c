-- What happens in a workflow run happens in no session.
ALTER TABLE events ALTER COLUMN session_id DROP NOT NULL;
ALTER TABLE events ADD COLUMN workflow_run_id text COLLATE "C";
CREATE INDEX events_of_workflow_run ON events (workflow_run_id, id) WHERE workflow_run_id IS NOT NULL;

CREATE TABLE workflows (
    name text COLLATE "C" PRIMARY KEY,
    document text NOT NULL,
    hash text NOT NULL,
    created_at bigint NOT NULL,
    modified_at bigint NOT NULL
);

CREATE TABLE workflow_runs (
    id text COLLATE "C" PRIMARY KEY,
    workflow_name text COLLATE "C" NOT NULL,
    status text NOT NULL,
    version bigint NOT NULL,
    parent text COLLATE "C",
    depth bigint NOT NULL,
    -- What is asked of it and nobody has looked at: 'begin' or 'stop'.
    asked text,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    finished_at bigint
) WITH (fillfactor = 80);
CREATE INDEX workflow_runs_by_time ON workflow_runs (created_at, id);
CREATE INDEX workflow_runs_open ON workflow_runs (created_at, id) WHERE finished_at IS NULL;

CREATE TABLE workflow_documents (
    workflow_run_id text COLLATE "C" PRIMARY KEY,
    definition bytea NOT NULL,
    head text NOT NULL
);

CREATE TABLE workflow_nodes (
    workflow_run_id text COLLATE "C" NOT NULL,
    node text COLLATE "C" NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (workflow_run_id, node)
);

-- Who works for a workflow run. A row goes with the change that takes the end into account.
CREATE TABLE workflow_hands (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workflow_run_id text COLLATE "C" NOT NULL,
    run_id text COLLATE "C" UNIQUE,
    child_id text COLLATE "C" UNIQUE
);
CREATE INDEX workflow_hands_of ON workflow_hands (workflow_run_id);
