-- Answers: the classes that violate k-map: they stand for fewer than k persons of the population.
-- Reads: tuples (the classes' key, row_count), population (the same of the persons).
-- Takes: $k_map.
-- Gives: key_code, TRUE for each of these classes.
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
