-- Classes and their rows by size, for each range from a low to a high size.
SELECT
    ranges.low,
    ranges.high,
    CAST(coalesce(sum(class_sizes.class_count), 0) AS BIGINT) AS class_total,
    CAST(coalesce(sum(class_sizes.size * class_sizes.class_count), 0) AS BIGINT) AS row_total
FROM (
    SELECT unnest(CAST($lows AS BIGINT[])) AS low, unnest(CAST($highs AS BIGINT[])) AS high
) AS ranges
LEFT JOIN class_sizes ON class_sizes.size BETWEEN ranges.low AND ranges.high
GROUP BY ranges.low, ranges.high
ORDER BY ranges.low
