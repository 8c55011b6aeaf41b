-- One node of the lattice: its equivalence classes, those that are released and those that violate what is asked for.
SELECT
    CAST(coalesce(sum(CASE WHEN violates THEN size END), 0) AS BIGINT) AS suppressed,
    count(CASE WHEN NOT violates THEN 1 END) AS released_classes,
    coalesce(min(CASE WHEN NOT violates THEN size END), 0) AS smallest,
    coalesce(max(size), 0) AS largest,
    coalesce(sum(CASE WHEN NOT violates THEN CAST(size AS HUGEINT) * size END), 0) AS released_squares,
    count(*) AS all_classes,
    coalesce(sum(CAST(size AS HUGEINT) * size), 0) AS all_squares
FROM classes
WHERE size > 0
