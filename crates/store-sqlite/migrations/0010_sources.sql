-- Where the accepted value stood in the answer; none for attempts that were not accepted, and for older ones.
ALTER TABLE attempts ADD COLUMN source TEXT;
