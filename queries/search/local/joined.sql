-- Answers: the classes that tuples left over may join.
-- Reads: members, the tuples of each class, with their rows there (all columns).
-- Takes: nothing.
-- Gives: the table joined, with the columns of what it reads.
CREATE OR REPLACE TEMP TABLE joined AS
SELECT *
FROM members
