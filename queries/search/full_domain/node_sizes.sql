-- Answers: how many equivalence classes of one node of the lattice have each size, those that violate what is asked of
-- a class and those that do not.
-- Reads: classes, the statement that judges classes (see queries/privacy): size, violates.
-- Takes: the number k and the list key, which that statement asks for.
-- Gives: size, violates, class_total.
SELECT
    size,
    violates,
    CAST(count(*) AS BIGINT) AS class_total
FROM classes
WHERE size > 0
GROUP BY size, violates
