-- Answers: the classes that were kept are the better ones.
-- Reads: kept_classes, the classes that were put aside (all columns).
-- Takes: nothing.
-- Gives: the table assigned, with the columns of what it reads.
CREATE OR REPLACE TEMP TABLE assigned AS
SELECT *
FROM kept_classes
