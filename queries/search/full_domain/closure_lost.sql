-- Answers: how many rows lie in combinations of a set of columns that stand for too few, before any row is suppressed,
-- and how many rows the least of the others has.
-- Reads: rows_there, the rows that take part by the codes of every level (set_code, row_count).
-- Takes: $number, the number of the set; set_code, its columns; violates, whether a combination stands for too few.
-- Gives: one row: set_number, lost, least; NULL where there are no others.
SELECT
    $number AS set_number,
    CAST(coalesce(sum(CASE WHEN is_small THEN size END), 0) AS BIGINT) AS lost,
    CAST(min(CASE WHEN NOT is_small THEN size END) AS BIGINT) AS least
FROM (
    SELECT sum(row_count) AS size, violates AS is_small
    FROM rows_there
    GROUP BY set_code
) AS counted
