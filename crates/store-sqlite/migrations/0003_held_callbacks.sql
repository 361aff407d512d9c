-- Why an end is not told by itself, and since when telling it fails.
ALTER TABLE callbacks ADD COLUMN held_reason TEXT;
ALTER TABLE callbacks ADD COLUMN held_message TEXT;
ALTER TABLE callbacks ADD COLUMN held_at INTEGER;
ALTER TABLE callbacks ADD COLUMN failing_since INTEGER;
-- Looked at after every end of a run: what is held can be much, and is none of its business.
CREATE INDEX callbacks_due ON callbacks (created_at, seq) WHERE delivered_by IS NULL AND held_reason IS NULL;
CREATE INDEX callbacks_delivered ON callbacks (delivered_by) WHERE delivered_by IS NOT NULL;
