-- The groups of two rows and more that are equal in some columns, by size: how many there are, and in how many of them
-- all rows have the same finer value of a quasi-identifier.
SELECT
    size,
    count(*) AS group_count,
    CAST(sum(CASE WHEN qi_same THEN 1 ELSE 0 END) AS BIGINT) AS qi_fixed
FROM (
    SELECT
        count(*) AS size,
        count(qi_code) = count(*) AND min(qi_code) = max(qi_code) AS qi_same
    FROM sample
    GROUP BY seen_code
    HAVING count(*) > 1
) AS grouped
GROUP BY size
