-- Answers: the equivalence classes of one node of the lattice, those that are released and those that violate what is
-- asked for.
-- Reads: classes, the statement that judges classes (see queries/privacy): size, violates.
-- Takes: the number k and the list key, which that statement asks for.
-- Gives: one row: suppressed, released_classes, smallest, largest, released_squares, all_classes, all_squares.
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
