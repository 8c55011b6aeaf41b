-- Answers: how many persons have a number of rows in a table that fewer than k persons have.
-- Reads: owners, the rows with their persons (person).
-- Takes: $k.
-- Gives: one row (persons).
SELECT CAST(coalesce(sum(persons), 0) AS BIGINT) AS persons
FROM (
    SELECT count(*) AS persons
    FROM (
        SELECT count(*) AS row_total
        FROM owners
        GROUP BY person
    ) AS totals
    GROUP BY row_total
    HAVING count(*) < $k
) AS rare
