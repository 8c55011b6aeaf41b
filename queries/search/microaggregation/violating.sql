-- Answers: the groups that violate a model.
-- Reads: classes, the statement that judges classes (see queries/privacy): part, violates.
-- Takes: the number k and the list key, which that statement asks for.
-- Gives: the table violating (part).
CREATE OR REPLACE TEMP TABLE violating AS
SELECT part
FROM classes
WHERE violates
