-- Classes of the population of which nobody is in the table.
SELECT count(*) AS absent_classes
FROM (
    SELECT key_code, TRUE AS is_absent
    FROM (
        SELECT key_code, row_count, 0 AS persons
        FROM tuples
        UNION ALL
        SELECT key_code, 0 AS row_count, row_count AS persons
        FROM population
    ) AS matched
    GROUP BY key_code
    HAVING sum(row_count) = 0
) AS absent
