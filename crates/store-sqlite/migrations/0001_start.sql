-- Times are microseconds since 1970. `seq` is the order of arrival and what rows of other tables refer to: short keys
-- keep the indices of events small. Rows that change often hold no documents, because SQLite rewrites a row whole.

CREATE TABLE sessions (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    agent_name TEXT NOT NULL,
    status TEXT NOT NULL,
    parent_session_id TEXT,
    project_dir TEXT,
    affinity TEXT NOT NULL,
    last_run_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_created ON sessions (created_at);
CREATE INDEX sessions_agent ON sessions (agent_name, created_at);
CREATE INDEX sessions_parent ON sessions (parent_session_id, created_at) WHERE parent_session_id IS NOT NULL;

CREATE TABLE conversations (
    session INTEGER PRIMARY KEY,
    body TEXT NOT NULL
) STRICT;

CREATE TABLE runs (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session INTEGER NOT NULL,
    kind TEXT NOT NULL,
    agent_name TEXT NOT NULL,
    status TEXT NOT NULL,
    execution_mode TEXT NOT NULL,
    demands TEXT NOT NULL,
    priority INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    losses INTEGER NOT NULL,
    retry_count INTEGER NOT NULL,
    lease_id TEXT,
    lease_runner_id TEXT,
    lease_expires_at INTEGER,
    failure_type TEXT,
    failure TEXT,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost_usd REAL,
    created_at INTEGER NOT NULL,
    queued_at INTEGER NOT NULL,
    claimed_at INTEGER,
    started_at INTEGER,
    finished_at INTEGER
) STRICT;
-- Demands first: a claim looks once at each different demand, and then only at runs that it can have. The status is
-- there so that the index alone can answer.
CREATE INDEX runs_waiting ON runs (demands, priority DESC, seq, status) WHERE status = 'pending';
CREATE INDEX runs_leased ON runs (lease_expires_at) WHERE lease_expires_at IS NOT NULL;
CREATE INDEX runs_created ON runs (created_at);
CREATE INDEX runs_agent ON runs (agent_name, created_at);
CREATE INDEX runs_session ON runs (session, created_at);

-- Blueprints and contracts: many runs share one.
CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    body TEXT NOT NULL
) STRICT;

CREATE TABLE assignments (
    run INTEGER PRIMARY KEY,
    blueprint INTEGER NOT NULL,
    contract INTEGER,
    parameters TEXT NOT NULL,
    model TEXT,
    project_dir TEXT,
    retry_prompt TEXT
) STRICT;

CREATE TABLE outcomes (
    run INTEGER PRIMARY KEY,
    result_text TEXT,
    result_data TEXT,
    raw TEXT,
    validation TEXT
) STRICT;

CREATE TABLE attempts (
    run INTEGER NOT NULL,
    delivery INTEGER NOT NULL,
    number INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    model TEXT NOT NULL,
    strategy TEXT NOT NULL,
    -- The attempt as JSON, without its text.
    document TEXT NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (run, delivery, number)
) STRICT;

CREATE TABLE attempt_errors (
    run INTEGER NOT NULL,
    path TEXT NOT NULL,
    keyword TEXT NOT NULL
) STRICT;
CREATE INDEX attempt_errors_run ON attempt_errors (run);

-- Never the same id twice, not even after a removal: whoever tails events remembers the last one.
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    session INTEGER NOT NULL,
    run INTEGER,
    kind TEXT NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE INDEX events_session ON events (session);
CREATE INDEX events_run ON events (run) WHERE run IS NOT NULL;

CREATE TABLE callbacks (
    seq INTEGER PRIMARY KEY,
    run INTEGER NOT NULL UNIQUE,
    parent INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    -- The run that told the parent.
    delivered_by INTEGER
) STRICT;
CREATE INDEX callbacks_parent ON callbacks (parent);
CREATE INDEX callbacks_owed ON callbacks (parent) WHERE delivered_by IS NULL;

CREATE TABLE idempotency (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    response TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE agents (
    name TEXT PRIMARY KEY,
    document TEXT NOT NULL,
    hash TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    modified_at INTEGER NOT NULL
) STRICT;

CREATE TABLE schemas (
    name TEXT PRIMARY KEY,
    description TEXT NOT NULL,
    document TEXT NOT NULL,
    hash TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    modified_at INTEGER NOT NULL
) STRICT;

CREATE TABLE keys (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    hash TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE runners (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    profile TEXT NOT NULL,
    registered_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL
) STRICT;

CREATE TABLE facts (
    model TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    feature TEXT NOT NULL,
    verdict TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (model, endpoint, feature)
) STRICT, WITHOUT ROWID;
