-- Seven events are written in every run. Their ids are given by the table itself, which costs nothing; SQLite's own way
-- never to give one twice would update a row of another table for each. Instead the last event leaves an empty row behind
-- when it is removed. The events of a run are found among those of its session.
CREATE TABLE events_anew (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    session INTEGER,
    run INTEGER,
    workflow_run INTEGER,
    -- Empty where the event was removed and only its id is kept.
    kind TEXT NOT NULL,
    body TEXT NOT NULL
) STRICT;
INSERT INTO events_anew (id, at, session, run, workflow_run, kind, body)
SELECT id, at, session, run, workflow_run, kind, body FROM events ORDER BY id;
INSERT OR IGNORE INTO events_anew (id, at, kind, body)
SELECT seq, 0, '', '{}' FROM sqlite_sequence WHERE name = 'events' AND seq > 0;
DROP TABLE events;
ALTER TABLE events_anew RENAME TO events;
CREATE INDEX events_session ON events (session) WHERE session IS NOT NULL;
CREATE INDEX events_workflow_run ON events (workflow_run) WHERE workflow_run IS NOT NULL;
