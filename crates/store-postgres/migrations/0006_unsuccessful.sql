-- What failed or was stopped is looked for again and again, and is rare among what was completed.
CREATE INDEX runs_unsuccessful ON runs (status, created_at, id) WHERE status IN ('failed', 'stopped');
