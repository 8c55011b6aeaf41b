-- Answers: the combined tuples, the smallest, and those that stand for fewer than k rows.
-- Reads: tuples, the combined tuples with their rows (row_count).
-- Takes: $k, the fewest rows of a class.
-- Gives: tuples, smallest, violating_tuples, violating_rows.
SELECT
    count(*) AS tuples,
    coalesce(min(row_count), 0) AS smallest,
    count(CASE WHEN row_count < $k THEN 1 END) AS violating_tuples,
    CAST(coalesce(sum(CASE WHEN row_count < $k THEN row_count END), 0) AS BIGINT) AS violating_rows
FROM kanon.tuples
