-- Answers: the equivalence classes of each node of a batch, those that are released and those that violate what is
-- asked for.
-- Reads: classes, the statement that judges classes (see queries/privacy): node, size, violates.
-- Takes: the number k and the list key, which that statement asks for.
-- Gives: node, suppressed, released_classes, smallest, largest, released_squares, all_classes, all_squares.
SELECT
    node,
    CAST(coalesce(sum(CASE WHEN violates THEN size END), 0) AS BIGINT) AS suppressed,
    count(CASE WHEN NOT violates THEN 1 END) AS released_classes,
    coalesce(min(CASE WHEN NOT violates THEN size END), 0) AS smallest,
    max(size) AS largest,
    coalesce(sum(CASE WHEN NOT violates THEN CAST(size AS HUGEINT) * size END), 0) AS released_squares,
    count(*) AS all_classes,
    sum(CAST(size AS HUGEINT) * size) AS all_squares
FROM classes
WHERE size > 0
GROUP BY node
