-- Answers: how many rows lie in combinations of a set of columns that stand for too few, before any row is suppressed.
-- Reads: rows_there, the rows that take part by the codes of every level (set_code, row_count).
-- Takes: $number, the number of the set; set_code, its columns; violates, whether a combination stands for too few.
-- Gives: one row: set_number, lost.
SELECT $number AS set_number, CAST(coalesce(sum(size), 0) AS BIGINT) AS lost
FROM (
    SELECT sum(row_count) AS size
    FROM rows_there
    GROUP BY set_code
    HAVING violates
) AS small
