-- What happens in a workflow run happens in no session, so a session is no longer required of an event.
CREATE TABLE events_anew (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    session INTEGER,
    run INTEGER,
    workflow_run INTEGER,
    kind TEXT NOT NULL,
    body TEXT NOT NULL
) STRICT;
INSERT INTO events_anew (id, at, session, run, kind, body)
SELECT id, at, session, run, kind, body FROM events ORDER BY id;
-- The largest id that was ever given, also where that event is gone.
DELETE FROM sqlite_sequence WHERE name = 'events_anew';
INSERT INTO sqlite_sequence (name, seq) SELECT 'events_anew', seq FROM sqlite_sequence WHERE name = 'events';
DROP TABLE events;
ALTER TABLE events_anew RENAME TO events;
CREATE INDEX events_session ON events (session) WHERE session IS NOT NULL;
CREATE INDEX events_run ON events (run) WHERE run IS NOT NULL;
CREATE INDEX events_workflow_run ON events (workflow_run) WHERE workflow_run IS NOT NULL;

CREATE TABLE workflows (
    name TEXT PRIMARY KEY,
    document TEXT NOT NULL,
    hash TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    modified_at INTEGER NOT NULL
) STRICT;

CREATE TABLE workflow_runs (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    workflow_name TEXT NOT NULL,
    status TEXT NOT NULL,
    version INTEGER NOT NULL,
    parent TEXT,
    depth INTEGER NOT NULL,
    -- What is asked of it and nobody has looked at: 'begin' or 'stop'.
    asked TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    finished_at INTEGER
) STRICT;
CREATE INDEX workflow_runs_created ON workflow_runs (created_at);
CREATE INDEX workflow_runs_name ON workflow_runs (workflow_name, created_at);
CREATE INDEX workflow_runs_open ON workflow_runs (seq) WHERE finished_at IS NULL;

CREATE TABLE workflow_documents (
    workflow_run INTEGER PRIMARY KEY,
    definition INTEGER NOT NULL,
    head TEXT NOT NULL
) STRICT;

CREATE TABLE workflow_nodes (
    workflow_run INTEGER NOT NULL,
    node TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (workflow_run, node)
) STRICT, WITHOUT ROWID;

-- Who works for a workflow run. A row goes with the change that takes the end into account.
CREATE TABLE workflow_hands (
    seq INTEGER PRIMARY KEY,
    workflow_run INTEGER NOT NULL,
    run_id TEXT,
    child_id TEXT
) STRICT;
CREATE INDEX workflow_hands_of ON workflow_hands (workflow_run);
CREATE UNIQUE INDEX workflow_hands_run ON workflow_hands (run_id) WHERE run_id IS NOT NULL;
CREATE UNIQUE INDEX workflow_hands_child ON workflow_hands (child_id) WHERE child_id IS NOT NULL;
