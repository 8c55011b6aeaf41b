-- Answers: how many classes of the population have nobody in the table.
-- Reads: tuples (the classes' key, row_count), population (the same of the persons).
-- Takes: nothing.
-- Gives: absent_classes.
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
