-- Answers: the first number that is greater than those of all rows of a lake's table, but for numbers of a
--   transaction alone, which a row keeps that was inserted and changed in one: several rows may have them.
-- Reads: table_rows, the table with the numbers of its rows (rowid).
-- Takes: nothing.
-- Gives: one row (beyond).
SELECT coalesce(max(rowid) + 1, 0) AS beyond
FROM table_rows
WHERE rowid < 1000000000000000000
