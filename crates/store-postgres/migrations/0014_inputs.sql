-- What people are asked. The document is the whole request, with its answer.
CREATE TABLE inputs (
    id text COLLATE "C" PRIMARY KEY,
    run_id text COLLATE "C" NOT NULL,
    delivery bigint NOT NULL,
    status text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    -- The hash of the one-time link.
    link text,
    document text NOT NULL
);
CREATE INDEX inputs_of_run ON inputs (run_id);
CREATE INDEX inputs_open ON inputs (expires_at) WHERE status = 'open';
CREATE INDEX inputs_listed ON inputs (created_at, id);
