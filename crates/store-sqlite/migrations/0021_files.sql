-- Files of callers, by the hash of their content and whom they belong to.
CREATE TABLE files (
    id TEXT NOT NULL,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    media_type TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (id, owner)
) STRICT;
CREATE INDEX files_by_owner ON files (owner, bytes);
CREATE INDEX files_by_expiry ON files (expires_at);

-- The files of a run, as a JSON list.
ALTER TABLE assignments ADD COLUMN files TEXT;
