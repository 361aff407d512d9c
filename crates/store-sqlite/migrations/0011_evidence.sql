-- What is known about endpoints becomes weights of good and bad answers. What was "ignored" before rested on two answers of
-- one run and is forgotten; a refusal has the weight that a new one has.
ALTER TABLE facts RENAME TO verdicts;
CREATE TABLE facts (
    model TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    feature TEXT NOT NULL,
    good REAL NOT NULL,
    bad REAL NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (model, endpoint, feature)
) STRICT, WITHOUT ROWID;
INSERT INTO facts (model, endpoint, feature, good, bad, at)
SELECT model, endpoint, feature, iif(verdict = 'works', 1.0, 0.0), iif(verdict = 'works', 0.0, 12.0), at
FROM verdicts WHERE verdict <> 'ignored';
DROP TABLE verdicts;
