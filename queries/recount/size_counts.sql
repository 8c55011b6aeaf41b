-- Answers: how many classes have each size. Where asked for, rows with * in every quasi-identifier are left out.
-- Reads: sizes, the classes: qi_value, size, holders.
-- Takes: $apart, whether rows of * are left out.
-- Gives: size, class_total.
SELECT
    CAST(size AS BIGINT) AS size,
    count(*) AS class_total
FROM sizes
WHERE size > 0 AND NOT ($apart AND ALL_OF(coalesce(CAST(qi_value AS VARCHAR), '') = '*'))
GROUP BY size
