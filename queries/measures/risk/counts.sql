-- Answers: how many classes have each size.
-- Reads: risk_class_sizes, the size of each class (size, class_count).
-- Takes: nothing.
-- Gives: size, class_total; by rising size.
SELECT
    size,
    CAST(sum(class_count) AS BIGINT) AS class_total
FROM kanon.risk_class_sizes
GROUP BY size
ORDER BY size
