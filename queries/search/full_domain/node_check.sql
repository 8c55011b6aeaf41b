-- Answers: how many classes of one node of the lattice violate what is asked for, and how many rows they hold.
-- Reads: classes, the statement that judges classes (see queries/privacy): size, violates.
-- Takes: the number k and the list key, which that statement asks for.
-- Gives: one row: violating_classes, suppressed.
SELECT
    count(*) AS violating_classes,
    CAST(coalesce(sum(size), 0) AS BIGINT) AS suppressed
FROM classes
WHERE violates
