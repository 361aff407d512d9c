-- Written by version 0.1.0, tables of version 7.
PRAGMA user_version = 7;
PRAGMA application_id = 1097036388;
BEGIN TRANSACTION;
CREATE TABLE agents (
    name TEXT PRIMARY KEY,
    document TEXT NOT NULL,
    hash TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    modified_at INTEGER NOT NULL
) STRICT;
INSERT INTO "agents" VALUES('stored','{"name":"stored","type":"procedural","executor":{"type":"process","command":"true"}}','sha256:906dcca6a64dc6c3d74c9e92b67917cf70ea94e91c5d51f1b6f59a4ba307843f',1794916849337334,1794916849337334);
CREATE TABLE assignments (
    run INTEGER PRIMARY KEY,
    blueprint INTEGER NOT NULL,
    contract INTEGER,
    parameters TEXT NOT NULL,
    model TEXT,
    project_dir TEXT,
    retry_prompt TEXT
, input TEXT) STRICT;
INSERT INTO "assignments" VALUES(1,1,2,'{"prompt":"one"}',NULL,NULL,NULL,NULL);
INSERT INTO "assignments" VALUES(2,1,2,'{"prompt":"x"}',NULL,NULL,NULL,NULL);
INSERT INTO "assignments" VALUES(3,1,2,'{"prompt":"waits"}',NULL,NULL,NULL,NULL);
CREATE TABLE attempt_errors (
    run INTEGER NOT NULL,
    path TEXT NOT NULL,
    keyword TEXT NOT NULL
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
INSERT INTO "attempts" VALUES(1,1,1,'accepted','sh','auto','{"number":1,"delivery":1,"at":"2026-11-17T12:00:48.869384442Z","strategy":"auto","model":"sh","endpoint":"process","outcome":"accepted","errors":[],"more_errors":0,"repairs":[],"usage":{"input_tokens":0,"output_tokens":0},"duration_ms":41,"text":""}','{"count": 2.50}
');
INSERT INTO "attempts" VALUES(2,1,1,'accepted','sh','auto','{"number":1,"delivery":1,"at":"2026-11-17T12:00:49.74513754Z","strategy":"auto","model":"sh","endpoint":"process","outcome":"accepted","errors":[],"more_errors":0,"repairs":[],"usage":{"input_tokens":0,"output_tokens":0},"duration_ms":90,"text":""}','{"count": 2.50}
');
CREATE TABLE callbacks (
    seq INTEGER PRIMARY KEY,
    run INTEGER NOT NULL UNIQUE,
    parent INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    -- The run that told the parent.
    delivered_by INTEGER
, held_reason TEXT, held_message TEXT, held_at INTEGER, failing_since INTEGER) STRICT;
CREATE TABLE conversations (
    session INTEGER PRIMARY KEY,
    body TEXT NOT NULL
) STRICT;
CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    body TEXT NOT NULL
) STRICT;
INSERT INTO "documents" VALUES(1,X'EE156FF2E4B7AB6BFADA2363EFC7182C55CE12E6592FA1830D8B89B00A0024B4','{"name":"count","type":"procedural","executor":{"type":"process","command":"sh","args":["-c","echo ''{\"count\": 2.50}''"]},"output_schema":{"type":"object","required":["count"],"properties":{"count":{"type":"number"}}}}');
INSERT INTO "documents" VALUES(2,X'59647C435EB0D35B6089AEE795F726001F6A19710CF4F773A7AEF7B8DF2FF003','{"origin":"blueprint","schema":{"type":"object","required":["count"],"properties":{"count":{"type":"number"}}},"schema_hash":"sha256:0c48fcf66165911615cff245df78dd352e2cf83e7bf9587a075a356257607643","max_retries":1,"extract_json":true,"strict_json_only":false,"validation_mode":"strict","strategy":"auto"}');
INSERT INTO "documents" VALUES(3,X'5B70006E18FFD89E50D0216C3038523F00AAA0FA846F0797E2C0F7E39FD80A92','{"document":{"name":"plain","nodes":{"input":{"type":"input"},"counted":{"type":"agent","agent":"count","prompt":"{{ input.text }}"},"output":{"type":"output","value":{"counted":"{{ counted.count }}"}}},"edges":[{"from":"input","to":"counted"},{"from":"counted","to":"output"}]},"known":{"agents":{"count":{"takes":"prompt","gives":{"type":"object","required":["count"],"properties":{"count":{"type":"number"}}},"fixed":true}},"workflows":{},"inline":{},"schemas":{}}}');
CREATE TABLE "events" (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    session INTEGER,
    run INTEGER,
    workflow_run INTEGER,
    -- Empty where the event was removed and only its id is kept.
    kind TEXT NOT NULL,
    body TEXT NOT NULL
) STRICT;
INSERT INTO "events" VALUES(1,1794916848668365,1,NULL,NULL,'session.created','{"type":"session.created","agent_name":"count"}');
INSERT INTO "events" VALUES(2,1794916848668365,1,1,NULL,'run.queued','{"type":"run.queued","agent_name":"count"}');
INSERT INTO "events" VALUES(3,1794916848680785,1,1,NULL,'run.claimed','{"type":"run.claimed","runner_id":"rnr_01a1e961886c76278ae6d733975cd5d5","attempt":1}');
INSERT INTO "events" VALUES(4,1794916848734229,1,1,NULL,'run.started','{"type":"run.started"}');
INSERT INTO "events" VALUES(5,1794916848834150,1,1,NULL,'message','{"type":"message","role":"user","text":"one"}');
INSERT INTO "events" VALUES(6,1794916848871680,1,1,NULL,'attempt.judged','{"type":"attempt.judged","attempt":{"number":1,"delivery":1,"at":"2026-11-17T12:00:48.869384442Z","strategy":"auto","model":"sh","endpoint":"process","outcome":"accepted","errors":[],"more_errors":0,"repairs":[],"usage":{"input_tokens":0,"output_tokens":0},"duration_ms":41,"text":""}}');
INSERT INTO "events" VALUES(7,1794916848922860,1,1,NULL,'result','{"type":"result","result_text":null,"result_data":{"count":2.50}}');
INSERT INTO "events" VALUES(8,1794916848922860,1,1,NULL,'run.completed','{"type":"run.completed"}');
INSERT INTO "events" VALUES(9,1794916849569331,2,NULL,NULL,'session.created','{"type":"session.created","agent_name":"count"}');
INSERT INTO "events" VALUES(10,1794916849569331,2,2,NULL,'run.queued','{"type":"run.queued","agent_name":"count"}');
INSERT INTO "events" VALUES(11,1794916849569890,NULL,NULL,1,'workflow.node_started','{"type":"workflow.node_started","node":"input","kind":"input","attempt":1}');
INSERT INTO "events" VALUES(12,1794916849569890,NULL,NULL,1,'workflow.node_finished','{"type":"workflow.node_finished","node":"input","status":"completed"}');
INSERT INTO "events" VALUES(13,1794916849569890,NULL,NULL,1,'workflow.node_started','{"type":"workflow.node_started","node":"counted","kind":"agent","attempt":1,"worker":{"kind":"run","run_id":"run_01a1e96197a172809e065edaab7d1e5c","session_id":"ses_01a1e96197a172809e065ed9beff1e8e"}}');
INSERT INTO "events" VALUES(14,1794916849585928,2,2,NULL,'run.claimed','{"type":"run.claimed","runner_id":"rnr_01a1e961886c76278ae6d733975cd5d5","attempt":1}');
INSERT INTO "events" VALUES(15,1794916849623054,2,2,NULL,'run.started','{"type":"run.started"}');
INSERT INTO "events" VALUES(16,1794916849664028,2,2,NULL,'message','{"type":"message","role":"user","text":"x"}');
INSERT INTO "events" VALUES(17,1794916849747514,2,2,NULL,'attempt.judged','{"type":"attempt.judged","attempt":{"number":1,"delivery":1,"at":"2026-11-17T12:00:49.74513754Z","strategy":"auto","model":"sh","endpoint":"process","outcome":"accepted","errors":[],"more_errors":0,"repairs":[],"usage":{"input_tokens":0,"output_tokens":0},"duration_ms":90,"text":""}}');
INSERT INTO "events" VALUES(18,1794916849822993,2,2,NULL,'result','{"type":"result","result_text":null,"result_data":{"count":2.50}}');
INSERT INTO "events" VALUES(19,1794916849822993,2,2,NULL,'run.completed','{"type":"run.completed"}');
INSERT INTO "events" VALUES(20,1794916849937494,NULL,NULL,1,'workflow.node_finished','{"type":"workflow.node_finished","node":"counted","status":"completed"}');
INSERT INTO "events" VALUES(21,1794916849937494,NULL,NULL,1,'workflow.node_started','{"type":"workflow.node_started","node":"output","kind":"output","attempt":1}');
INSERT INTO "events" VALUES(22,1794916849937494,NULL,NULL,1,'workflow.node_finished','{"type":"workflow.node_finished","node":"output","status":"completed"}');
INSERT INTO "events" VALUES(23,1794916849937494,NULL,NULL,1,'workflow.finished','{"type":"workflow.finished","workflow_name":"plain","status":"completed"}');
INSERT INTO "events" VALUES(24,1794916850114597,3,NULL,NULL,'session.created','{"type":"session.created","agent_name":"count"}');
INSERT INTO "events" VALUES(25,1794916850114597,3,3,NULL,'run.queued','{"type":"run.queued","agent_name":"count"}');
CREATE TABLE facts (
    model TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    feature TEXT NOT NULL,
    verdict TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (model, endpoint, feature)
) STRICT, WITHOUT ROWID;
CREATE TABLE idempotency (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    response TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
INSERT INTO "idempotency" VALUES('key_01a1e96184007666a2a351cfacfa7f03 POST /runs','first','9a70d3b7e04bf28668fe7af9960008568513318aa37b13c5ed7246bdac6e3267','{"run_id":"run_01a1e961941c77338cf5bd8059792722","session_id":"ses_01a1e961941c77338cf5bd7f777b6a4b","status":"pending"}',1794916848668365);
CREATE TABLE keys (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    hash TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
INSERT INTO "keys" VALUES(1,'key_01a1e96184007666a2a351cfacfa7f03','ops','admin','137bb5e3cbfd24cfc3a3904dca3d939ec08ff2a1d345dc431cc84cee27a679a5',1794916844544863);
CREATE TABLE outcomes (
    run INTEGER PRIMARY KEY,
    result_text TEXT,
    result_data TEXT,
    raw TEXT,
    validation TEXT
) STRICT;
INSERT INTO "outcomes" VALUES(1,NULL,'{"count":2.50}','{"count": 2.50}
','{"valid":true,"schema_name":null,"schema_hash":"sha256:0c48fcf66165911615cff245df78dd352e2cf83e7bf9587a075a356257607643","retry_count":0,"strategy":"auto","repairs":[],"attempts":1}');
INSERT INTO "outcomes" VALUES(2,NULL,'{"count":2.50}','{"count": 2.50}
','{"valid":true,"schema_name":null,"schema_hash":"sha256:0c48fcf66165911615cff245df78dd352e2cf83e7bf9587a075a356257607643","retry_count":0,"strategy":"auto","repairs":[],"attempts":1}');
CREATE TABLE runners (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    profile TEXT NOT NULL,
    registered_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL
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
INSERT INTO "runs" VALUES(1,'run_01a1e961941c77338cf5bd8059792722',1,'start_session','count','completed','sync','{"executor_type":"process"}',0,1,0,0,NULL,NULL,NULL,NULL,NULL,0,0,NULL,1794916848668365,1794916848668365,1794916848680785,1794916848734229,1794916848922860);
INSERT INTO "runs" VALUES(2,'run_01a1e96197a172809e065edaab7d1e5c',2,'start_session','count','completed','async_poll','{"executor_type":"process"}',0,1,0,0,NULL,NULL,NULL,NULL,NULL,0,0,NULL,1794916849569331,1794916849569331,1794916849585928,1794916849623054,1794916849822993);
INSERT INTO "runs" VALUES(3,'run_01a1e96199c2759889aa9ce2a29060b1',3,'start_session','count','pending','sync','{"executor_type":"process","tags":["gpu"]}',0,0,0,0,NULL,NULL,NULL,NULL,NULL,0,0,NULL,1794916850114597,1794916850114597,NULL,NULL,NULL);
CREATE TABLE schemas (
    name TEXT PRIMARY KEY,
    description TEXT NOT NULL,
    document TEXT NOT NULL,
    hash TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    modified_at INTEGER NOT NULL
) STRICT;
INSERT INTO "schemas" VALUES('report','','{"type":"object","maximum":1.50}','sha256:8d2e9ff9dde5e4e2fa6c24c3ea10380f13fb7fd25a8fe76184a5d55ac8ff4159',1794916849021974,1794916849021974);
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
INSERT INTO "sessions" VALUES(1,'ses_01a1e961941c77338cf5bd7f777b6a4b','count','finished',NULL,NULL,'{}','run_01a1e961941c77338cf5bd8059792722',1794916848668365,1794916848922860);
INSERT INTO "sessions" VALUES(2,'ses_01a1e96197a172809e065ed9beff1e8e','count','finished',NULL,NULL,'{}','run_01a1e96197a172809e065edaab7d1e5c',1794916849569331,1794916849822993);
INSERT INTO "sessions" VALUES(3,'ses_01a1e96199c2759889aa9ce1e1a648cc','count','pending',NULL,NULL,'{}','run_01a1e96199c2759889aa9ce2a29060b1',1794916850114597,1794916850114597);
CREATE TABLE workflow_documents (
    workflow_run INTEGER PRIMARY KEY,
    definition INTEGER NOT NULL,
    head TEXT NOT NULL
) STRICT;
INSERT INTO "workflow_documents" VALUES(1,3,'{"status":"completed","input":{"text":"x"},"output":{"counted":2.50}}');
CREATE TABLE workflow_hands (
    seq INTEGER PRIMARY KEY,
    workflow_run INTEGER NOT NULL,
    run_id TEXT,
    child_id TEXT
) STRICT;
CREATE TABLE workflow_nodes (
    workflow_run INTEGER NOT NULL,
    node TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (workflow_run, node)
) STRICT, WITHOUT ROWID;
INSERT INTO "workflow_nodes" VALUES(1,'counted','{"status":"completed","output":{"count":2.50},"tasks":[{"purpose":"whole","status":"completed","attempts":1,"worker":{"kind":"run","run_id":"run_01a1e96197a172809e065edaab7d1e5c","session_id":"ses_01a1e96197a172809e065ed9beff1e8e"}}],"takes":["yes"],"started_at":"2026-11-17T12:00:49.557756Z","finished_at":"2026-11-17T12:00:49.91885Z"}');
INSERT INTO "workflow_nodes" VALUES(1,'input','{"status":"completed","output":{"text":"x"},"takes":["yes"],"started_at":"2026-11-17T12:00:49.557756Z","finished_at":"2026-11-17T12:00:49.557756Z"}');
INSERT INTO "workflow_nodes" VALUES(1,'output','{"status":"completed","output":{"counted":2.50},"started_at":"2026-11-17T12:00:49.91885Z","finished_at":"2026-11-17T12:00:49.91885Z"}');
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
INSERT INTO "workflow_runs" VALUES(1,'wfr_01a1e961976e716c9fab6a2b7255fd5e','plain','completed',2,NULL,0,NULL,1794916849518956,1794916849937494,1794916849937494);
CREATE TABLE workflows (
    name TEXT PRIMARY KEY,
    document TEXT NOT NULL,
    hash TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    modified_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_created ON sessions (created_at);
CREATE INDEX sessions_agent ON sessions (agent_name, created_at);
CREATE INDEX sessions_parent ON sessions (parent_session_id, created_at) WHERE parent_session_id IS NOT NULL;
CREATE INDEX runs_waiting ON runs (demands, priority DESC, seq, status) WHERE status = 'pending';
CREATE INDEX runs_leased ON runs (lease_expires_at) WHERE lease_expires_at IS NOT NULL;
CREATE INDEX runs_created ON runs (created_at);
CREATE INDEX runs_agent ON runs (agent_name, created_at);
CREATE INDEX runs_session ON runs (session, created_at);
CREATE INDEX attempt_errors_run ON attempt_errors (run);
CREATE INDEX callbacks_parent ON callbacks (parent);
CREATE INDEX callbacks_owed ON callbacks (parent) WHERE delivered_by IS NULL;
CREATE INDEX workflow_runs_created ON workflow_runs (created_at);
CREATE INDEX workflow_runs_name ON workflow_runs (workflow_name, created_at);
CREATE INDEX workflow_runs_open ON workflow_runs (seq) WHERE finished_at IS NULL;
CREATE INDEX workflow_hands_of ON workflow_hands (workflow_run);
CREATE UNIQUE INDEX workflow_hands_run ON workflow_hands (run_id) WHERE run_id IS NOT NULL;
CREATE UNIQUE INDEX workflow_hands_child ON workflow_hands (child_id) WHERE child_id IS NOT NULL;
CREATE INDEX callbacks_due ON callbacks (created_at, seq) WHERE delivered_by IS NULL AND held_reason IS NULL;
CREATE INDEX callbacks_delivered ON callbacks (delivered_by) WHERE delivered_by IS NOT NULL;
CREATE INDEX assignments_blueprint ON assignments (blueprint);
CREATE INDEX assignments_contract ON assignments (contract) WHERE contract IS NOT NULL;
CREATE INDEX events_session ON events (session) WHERE session IS NOT NULL;
CREATE INDEX events_workflow_run ON events (workflow_run) WHERE workflow_run IS NOT NULL;
CREATE INDEX workflow_documents_definition ON workflow_documents (definition);
CREATE INDEX runs_unsuccessful ON runs (status, created_at) WHERE status = 'failed' OR status = 'stopped';
CREATE INDEX sessions_unsuccessful ON sessions (status, created_at)
WHERE status = 'failed' OR status = 'stopped' OR status = 'idle';
COMMIT;
