-- The conversation that a run begins with.
ALTER TABLE assignments ADD COLUMN opening text;
