-- Answers: the tuples of each class, a class being what took one label; numbered from 1.
-- Reads: taken, the tuples with the label that they took (cell, row_count, label).
-- Takes: nothing.
-- Gives: the table members (part, cell, row_count).
CREATE OR REPLACE TEMP TABLE members AS
SELECT CAST(dense_rank() OVER (ORDER BY label) AS INTEGER) AS part, cell, row_count
FROM taken
