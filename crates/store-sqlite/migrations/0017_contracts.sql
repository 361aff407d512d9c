-- Contracts that agents had, so that a caller of an older one is told what changed. A contract that is used again gets a new seq.
CREATE TABLE contracts (
    seq INTEGER PRIMARY KEY,
    agent_name TEXT NOT NULL,
    hash TEXT NOT NULL,
    input TEXT NOT NULL,
    output TEXT,
    UNIQUE (agent_name, hash)
) STRICT;
