-- Contracts that agents had, so that a caller of an older one is told what changed. A contract that is used again gets a new seq.
CREATE TABLE contracts (
    seq bigserial PRIMARY KEY,
    agent_name text NOT NULL,
    hash text NOT NULL,
    input text NOT NULL,
    output text,
    UNIQUE (agent_name, hash)
);
