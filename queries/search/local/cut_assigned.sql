-- Answers: the classes are those of the cuts.
-- Reads: cut_classes, the classes that cuts made (all columns).
-- Takes: nothing.
-- Gives: the table assigned, with the columns of what it reads.
CREATE OR REPLACE TEMP TABLE assigned AS
SELECT *
FROM cut_classes
