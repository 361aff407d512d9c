-- The trace that a run belongs to.
ALTER TABLE assignments ADD COLUMN traceparent text;
