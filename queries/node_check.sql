-- One node of the lattice: the equivalence classes that hold fewer than k rows, how many and how many rows in all.
SELECT
    count(*) AS violating_classes,
    CAST(coalesce(sum(size), 0) AS BIGINT) AS suppressed
FROM (
    SELECT sum(row_count) AS size
    FROM tuples
    GROUP BY qi_code
    HAVING sum(row_count) < $k
) AS violating
