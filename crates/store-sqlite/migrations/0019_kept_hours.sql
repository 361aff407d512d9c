-- What the finished runs of an hour come to, for statistics; none where a run has finished or was removed since.
CREATE TABLE kept_hours (
    hour INTEGER PRIMARY KEY,
    -- Counts how often the hour was marked.
    mark INTEGER NOT NULL DEFAULT 0,
    body TEXT
) STRICT;
CREATE INDEX kept_hours_marked ON kept_hours (hour) WHERE body IS NULL;
-- Before this hour all runs are in the hours above.
CREATE TABLE kept_until (hour INTEGER NOT NULL) STRICT;
INSERT INTO kept_until (hour) VALUES (-200000000);
