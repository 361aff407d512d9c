-- Who changed what. Rows are added, never changed, and removed only when they are old.
CREATE TABLE audit (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at bigint NOT NULL,
    action text COLLATE "C" NOT NULL,
    object text COLLATE "C",
    hash text,
    actor_kind text COLLATE "C" NOT NULL,
    actor_id text COLLATE "C",
    actor_name text COLLATE "C",
    address text,
    forwarded_for text
);
CREATE INDEX audit_by_time ON audit (at);

ALTER TABLE runs ADD COLUMN requested_by text;
ALTER TABLE workflow_runs ADD COLUMN requested_by text;

ALTER TABLE api_keys ADD COLUMN expires_at bigint;
ALTER TABLE api_keys ADD COLUMN last_used_at bigint;
