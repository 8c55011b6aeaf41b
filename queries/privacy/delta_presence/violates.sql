-- Answers: the classes that violate delta-presence: the share of their persons that is in the table is below the least
-- or above the greatest allowed.
-- Reads: tuples (the classes' key, row_count), population (the same of the persons).
-- Takes: $least_over by $least_under and $most_over by $most_under, the bounds as ratios.
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
HAVING
    sum(row_count) * CAST($least_under AS HUGEINT) < sum(persons) * $least_over
    OR sum(row_count) * CAST($most_under AS HUGEINT) > sum(persons) * $most_over
