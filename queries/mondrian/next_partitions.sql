-- The new partitions that may be cut again, and the dimensions along which that is still possible.
CREATE OR REPLACE TEMP TABLE partitions AS
SELECT sizes.part, sizes.row_count, cuts.this_live
FROM (
    SELECT part, CAST(sum(row_count) AS BIGINT) AS row_count
    FROM next_tuples
    WHERE part >= $first
    GROUP BY part
) AS sizes
JOIN cuts ON cuts.number = (sizes.part - $first) // 2
WHERE sizes.row_count >= 2 * $k
