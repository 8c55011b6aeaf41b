-- One dimension: how many rows are released at each level of its hierarchy; without one, 0 is a value, 1 a range or set.
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
