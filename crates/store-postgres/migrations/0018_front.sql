-- The tools of a run's caller.
ALTER TABLE assignments ADD COLUMN tools text;

-- Requests whose callers wait for the answer: who is still there, and what a repeated one joins.
CREATE TABLE front_requests (
    scope text NOT NULL,
    key text NOT NULL,
    fingerprint text NOT NULL,
    work text,
    is_named boolean NOT NULL,
    is_reason boolean NOT NULL,
    begun_at bigint NOT NULL,
    waiting bigint NOT NULL,
    waited_until bigint NOT NULL,
    left_at bigint,
    closed_at bigint,
    PRIMARY KEY (scope, key)
);
CREATE INDEX front_requests_equal ON front_requests (scope, fingerprint, begun_at);
CREATE INDEX front_requests_begun ON front_requests (begun_at);
CREATE INDEX front_requests_open ON front_requests (waited_until) WHERE closed_at IS NULL;
