-- Answers: a table of the equivalence classes of many nodes.
-- Reads: classes, the statement that rolls them up (key, cost, size).
-- Takes: the holes that classes asks for.
-- Gives: the table raised (key, cost, size).
CREATE OR REPLACE TEMP TABLE raised AS
SELECT key, cost, size
FROM classes
