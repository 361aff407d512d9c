-- What invariants see on a resume.
ALTER TABLE assignments ADD COLUMN input text;
-- Whether anybody still needs a document is asked when a session is removed.
CREATE INDEX assignments_by_blueprint ON assignments (blueprint);
CREATE INDEX assignments_by_contract ON assignments (contract) WHERE contract IS NOT NULL;
