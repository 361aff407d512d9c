-- What failed or was stopped is looked for again and again, and is rare among what was completed. So is a session that waits for
-- its children. Whatever goes well does not touch these indices.
CREATE INDEX runs_unsuccessful ON runs (status, created_at) WHERE status = 'failed' OR status = 'stopped';
CREATE INDEX sessions_unsuccessful ON sessions (status, created_at)
WHERE status = 'failed' OR status = 'stopped' OR status = 'idle';
