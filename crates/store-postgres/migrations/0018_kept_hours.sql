-- What the finished runs of an hour come to, for statistics; none where a run has finished or was removed since.
CREATE TABLE kept_hours (
    hour bigint PRIMARY KEY,
    -- Counts how often the hour was marked.
    mark bigint NOT NULL DEFAULT 0,
    body text
);
CREATE INDEX kept_hours_marked ON kept_hours (hour) WHERE body IS NULL;
-- Before this hour all runs are in the hours above. Transactions that finish runs mark hours before the next one: it is set first.
CREATE TABLE kept_until (hour bigint NOT NULL, next bigint NOT NULL);
INSERT INTO kept_until (hour, next) VALUES (-200000000, -200000000);
