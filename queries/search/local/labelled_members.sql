-- Answers: the tuples of each class, a class for each label.
-- Reads: labelled, the tuples of each label with a class (label, cell, row_count).
-- Takes: nothing.
-- Gives: the table members (part, cell, row_count).
CREATE OR REPLACE TEMP TABLE members AS
SELECT CAST(dense_rank() OVER (ORDER BY label) AS INTEGER) AS part, cell, row_count
FROM labelled
