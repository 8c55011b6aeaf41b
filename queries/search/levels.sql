-- Answers: one dimension: how many rows are released at each level of its hierarchy; without one, 0 is a value, 1 a
-- range or set.
-- Reads: classes, the classes by the least and the greatest position of each dimension (row_count, this_low,
-- this_high).
-- Takes: level_shift, of each level the shift of a position to its node there; this_high and this_low, of each
-- dimension the least and the greatest position; this_lowest, the lowest level that a release may use.
-- Gives: level, row_count.
SELECT level, CAST(sum(row_count) AS BIGINT) AS row_count
FROM (
    SELECT
        classes.row_count,
        greatest(
            this_lowest,
            SUM_OF(CAST((classes.this_low >> level_shift) <> (classes.this_high >> level_shift) AS INTEGER))
        ) AS level
    FROM classes
) AS reached
GROUP BY level
ORDER BY level
