-- Times are microseconds since 1970. Documents are text: jsonb would reorder keys and reformat numbers.
-- Plain text that comes from models and callers is escaped, because PostgreSQL's text cannot hold a NUL (src/text.rs).
-- Ids and names compare by bytes, on every installation alike.
-- There are no foreign keys: every write goes through its locked run or session, and checks would lock them again.

-- What is added to the transaction number in an event's id. One row.
CREATE TABLE event_numbering (transaction_offset bigint NOT NULL);
INSERT INTO event_numbering (transaction_offset) VALUES (0);

CREATE TABLE events (
    id bigint PRIMARY KEY,
    at bigint NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    run_id text COLLATE "C",
    kind text COLLATE "C" NOT NULL,
    body text NOT NULL
);
CREATE INDEX events_of_session ON events (session_id, id);
CREATE INDEX events_of_run ON events (run_id, id) WHERE run_id IS NOT NULL;

-- Blueprints and contracts, by their SHA-256: thousands of runs share a few.
CREATE TABLE documents (
    hash bytea PRIMARY KEY,
    body text NOT NULL
);

CREATE TABLE sessions (
    id text COLLATE "C" PRIMARY KEY,
    agent_name text COLLATE "C" NOT NULL,
    status text NOT NULL,
    parent_session_id text COLLATE "C",
    project_dir text,
    affinity text NOT NULL,
    last_run_id text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX sessions_by_time ON sessions (created_at, id);
CREATE INDEX sessions_of_parent ON sessions (parent_session_id, created_at, id) WHERE parent_session_id IS NOT NULL;

-- Apart from the session, so that a change of status does not copy a conversation.
CREATE TABLE conversations (
    session_id text COLLATE "C" PRIMARY KEY,
    body text NOT NULL
);

CREATE TABLE runs (
    id text COLLATE "C" PRIMARY KEY,
    number bigint GENERATED ALWAYS AS IDENTITY,
    session_id text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    agent_name text COLLATE "C" NOT NULL,
    status text NOT NULL,
    execution_mode text NOT NULL,
    demands text COLLATE "C" NOT NULL,
    priority integer NOT NULL,
    attempt bigint NOT NULL,
    losses bigint NOT NULL,
    retry_count bigint NOT NULL,
    lease_id text,
    lease_runner_id text,
    lease_expires_at bigint,
    failure_type text,
    failure text,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cost_usd double precision,
    created_at bigint NOT NULL,
    queued_at bigint NOT NULL,
    claimed_at bigint,
    started_at bigint,
    finished_at bigint
) WITH (fillfactor = 80);
CREATE INDEX runs_by_time ON runs (created_at, id);
CREATE INDEX runs_of_session ON runs (session_id, created_at, id);
-- The order in which runs are handed out. The number decides between runs of one microsecond.
CREATE INDEX runs_waiting ON runs ((-(priority::bigint)), created_at, number) WHERE status = 'pending';
CREATE INDEX runs_waiting_since ON runs (queued_at, id) WHERE status = 'pending';
CREATE INDEX runs_held ON runs (lease_expires_at, id) WHERE lease_expires_at IS NOT NULL;

CREATE TABLE assignments (
    run_id text COLLATE "C" PRIMARY KEY,
    blueprint bytea NOT NULL,
    parameters text NOT NULL,
    contract bytea,
    model text,
    project_dir text,
    retry_prompt text
);

CREATE TABLE outcomes (
    run_id text COLLATE "C" PRIMARY KEY,
    result_text text,
    result_data text,
    raw text,
    validation text
);

-- The record is the whole attempt as JSON; the columns beside it are what is counted.
CREATE TABLE attempts (
    run_id text COLLATE "C" NOT NULL,
    delivery bigint NOT NULL,
    number bigint NOT NULL,
    model text COLLATE "C" NOT NULL,
    strategy text COLLATE "C" NOT NULL,
    outcome text NOT NULL,
    error_paths text[] NOT NULL,
    error_keywords text[] NOT NULL,
    record text NOT NULL,
    PRIMARY KEY (run_id, delivery, number)
);

-- What is owed to parents. A row is deleted by the transaction that delivers it.
CREATE TABLE callbacks (
    run_id text COLLATE "C" PRIMARY KEY,
    number bigint GENERATED ALWAYS AS IDENTITY,
    session_id text COLLATE "C" NOT NULL,
    parent_session_id text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL
);
CREATE INDEX callbacks_of_parent ON callbacks (parent_session_id);
CREATE INDEX callbacks_of_session ON callbacks (session_id);

CREATE TABLE idempotency_keys (
    scope text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    fingerprint text NOT NULL,
    response text NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (scope, key)
);
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (created_at);

CREATE TABLE agents (
    name text COLLATE "C" PRIMARY KEY,
    document text NOT NULL,
    hash text NOT NULL,
    created_at bigint NOT NULL,
    modified_at bigint NOT NULL
);

CREATE TABLE output_schemas (
    name text COLLATE "C" PRIMARY KEY,
    description text NOT NULL,
    document text NOT NULL,
    hash text NOT NULL,
    created_at bigint NOT NULL,
    modified_at bigint NOT NULL
);

CREATE TABLE api_keys (
    id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    role text NOT NULL,
    hash text NOT NULL,
    created_at bigint NOT NULL
);

CREATE TABLE runners (
    id text COLLATE "C" PRIMARY KEY,
    profile text NOT NULL,
    registered_at bigint NOT NULL,
    seen_at bigint NOT NULL
) WITH (fillfactor = 80);

CREATE TABLE endpoint_facts (
    endpoint text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    feature text COLLATE "C" NOT NULL,
    verdict text NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (model, endpoint, feature)
);
