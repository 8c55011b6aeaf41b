-- delta-presence: classes of which the share that is in the table is below the least or above the greatest allowed.
SELECT key_code, TRUE AS violates
FROM (
    SELECT key_code, row_count, 0 AS persons
    FROM tuples
    UNION ALL
    SELECT key_code, 0 AS row_count, row_count AS persons
    FROM population
) AS matched
GROUP BY key_code
HAVING
    sum(row_count) * CAST($least_under AS HUGEINT) < sum(persons) * $least_over
    OR sum(row_count) * CAST($most_under AS HUGEINT) > sum(persons) * $most_over
