-- What people are asked. The document is the whole request, with its answer.
CREATE TABLE inputs (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    run INTEGER NOT NULL,
    delivery INTEGER NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    -- The hash of the one-time link.
    link TEXT,
    document TEXT NOT NULL
) STRICT;
CREATE INDEX inputs_of_run ON inputs (run);
CREATE INDEX inputs_open ON inputs (expires_at) WHERE status = 'open';
CREATE INDEX inputs_listed ON inputs (created_at, seq);
