-- One node of the lattice: its equivalence classes, those that are released (at least k rows) and those that are not.
SELECT
    CAST(coalesce(sum(CASE WHEN size < $k THEN size END), 0) AS BIGINT) AS suppressed,
    count(CASE WHEN size >= $k THEN 1 END) AS released_classes,
    coalesce(min(CASE WHEN size >= $k THEN size END), 0) AS smallest,
    coalesce(max(size), 0) AS largest,
    coalesce(sum(CASE WHEN size >= $k THEN CAST(size AS HUGEINT) * size END), 0) AS released_squares,
    count(*) AS all_classes,
    coalesce(sum(CAST(size AS HUGEINT) * size), 0) AS all_squares
FROM (
    SELECT CAST(sum(row_count) AS BIGINT) AS size
    FROM tuples
    GROUP BY qi_code
) AS classes
WHERE size > 0
