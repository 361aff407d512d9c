-- What is known about endpoints becomes weights of good and bad answers. What was "ignored" before rested on two answers of
-- one run and is forgotten; a refusal has the weight that a new one has.
DELETE FROM endpoint_facts WHERE verdict = 'ignored';
ALTER TABLE endpoint_facts ADD COLUMN good double precision NOT NULL DEFAULT 0, ADD COLUMN bad double precision NOT NULL DEFAULT 0;
UPDATE endpoint_facts SET good = 1 WHERE verdict = 'works';
UPDATE endpoint_facts SET bad = 12 WHERE verdict <> 'works';
ALTER TABLE endpoint_facts DROP COLUMN verdict, ALTER COLUMN good DROP DEFAULT, ALTER COLUMN bad DROP DEFAULT;
