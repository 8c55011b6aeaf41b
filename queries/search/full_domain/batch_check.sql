-- Answers: how many rows of each node of a batch lie in classes that violate what is asked for.
-- Reads: classes, the statement that judges classes (see queries/privacy): node, size, violates.
-- Takes: the number k and the list key, which that statement asks for.
-- Gives: node, suppressed; nothing of nodes where no class violates.
SELECT node, CAST(sum(size) AS BIGINT) AS suppressed
FROM classes
WHERE violates
GROUP BY node
