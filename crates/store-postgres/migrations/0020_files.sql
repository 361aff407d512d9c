-- Files of callers, by the hash of their content and whom they belong to.
CREATE TABLE files (
    id text NOT NULL,
    owner text NOT NULL,
    name text NOT NULL,
    media_type text NOT NULL,
    bytes bigint NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (id, owner)
);
CREATE INDEX files_by_owner ON files (owner);
CREATE INDEX files_by_expiry ON files (expires_at);

-- The files of a run, as a JSON list.
ALTER TABLE assignments ADD COLUMN files text;
