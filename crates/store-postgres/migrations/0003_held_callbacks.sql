-- A delivered end stays, with the run that told it: where that run comes to nothing the end is owed again.
-- Why an end is not told by itself, and since when telling it fails.
ALTER TABLE callbacks
    ADD COLUMN delivered_by text COLLATE "C",
    ADD COLUMN held_reason text,
    ADD COLUMN held_message text,
    ADD COLUMN held_at bigint,
    ADD COLUMN failing_since bigint;
-- Looked at after every end of a run: what is held or told can be much, and is none of its business.
CREATE INDEX callbacks_due ON callbacks (parent_session_id) WHERE delivered_by IS NULL AND held_reason IS NULL;
CREATE INDEX callbacks_delivered ON callbacks (delivered_by) WHERE delivered_by IS NOT NULL;
