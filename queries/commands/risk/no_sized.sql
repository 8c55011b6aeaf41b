-- Answers: classes with the number of persons of the population that fall under them, none yet.
-- Reads: nothing.
-- Takes: nothing.
-- Gives: the table sized_classes (size, persons).
CREATE OR REPLACE TEMP TABLE sized_classes (size BIGINT, persons BIGINT)
