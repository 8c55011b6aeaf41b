-- Answers: the rows whose prosecutor risk, one by the size of their class, is above each of some thresholds.
-- Reads: class_sizes, how many classes have each size (size, class_count).
-- Takes: $thresholds, the thresholds.
-- Gives: threshold, row_total.
SELECT
    asked.threshold,
    CAST(coalesce(sum(class_sizes.size * class_sizes.class_count), 0) AS BIGINT) AS row_total
FROM (SELECT unnest(CAST($thresholds AS DOUBLE[])) AS threshold) AS asked
LEFT JOIN class_sizes ON CAST(1 AS DOUBLE) / class_sizes.size > asked.threshold
GROUP BY asked.threshold
ORDER BY asked.threshold
