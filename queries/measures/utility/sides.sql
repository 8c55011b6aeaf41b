-- Answers: the rows of both sides that a logistic regression is fitted to.
-- Reads: utility_design, the rows of both sides as vectors (is_release, row_count).
-- Takes: nothing.
-- Gives: all_rows, released_rows.
SELECT sum(row_count) AS all_rows, sum(is_release * row_count) AS released_rows
FROM kanon.utility_design
