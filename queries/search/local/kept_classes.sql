-- Answers: the classes as they are, while others are looked at.
-- Reads: assigned, the tuples of each class (all columns).
-- Takes: nothing.
-- Gives: the table kept_classes, with the columns of what it reads.
CREATE OR REPLACE TEMP TABLE kept_classes AS
SELECT *
FROM assigned
