-- k-map: classes that stand for fewer than k persons of the population.
SELECT key_code, TRUE AS violates
FROM (
    SELECT key_code, row_count, 0 AS persons
    FROM tuples
    UNION ALL
    SELECT key_code, 0 AS row_count, row_count AS persons
    FROM population
) AS matched
GROUP BY key_code
HAVING sum(row_count) > 0 AND sum(persons) < $k_map
