-- Answers: classes and their rows by size, for each range from a low to a high size.
-- Reads: risk_class_sizes, the size of each class (size, class_count).
-- Takes: $highs and $lows, the ends of the bins.
-- Gives: low, high, class_total, row_total.
SELECT
    ranges.low,
    ranges.high,
    CAST(coalesce(sum(risk_class_sizes.class_count), 0) AS BIGINT) AS class_total,
    CAST(coalesce(sum(risk_class_sizes.size * risk_class_sizes.class_count), 0) AS BIGINT) AS row_total
FROM (
    SELECT unnest(CAST($lows AS BIGINT[])) AS low, unnest(CAST($highs AS BIGINT[])) AS high
) AS ranges
LEFT JOIN kanon.risk_class_sizes ON risk_class_sizes.size BETWEEN ranges.low AND ranges.high
GROUP BY ranges.low, ranges.high
ORDER BY ranges.low
