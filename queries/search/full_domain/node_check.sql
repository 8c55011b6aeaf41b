-- One node of the lattice: the equivalence classes that violate what is asked for, how many and how many rows in all.
SELECT
    count(*) AS violating_classes,
    CAST(coalesce(sum(size), 0) AS BIGINT) AS suppressed
FROM classes
WHERE violates
