-- Answers: the classes that violate by themselves, whatever was released before.
-- Reads: judged, the sets of classes, judged (class, violates, release).
-- Takes: nothing.
-- Gives: the table failed_alone (class).
CREATE OR REPLACE TEMP TABLE failed_alone AS
SELECT class
FROM judged
WHERE violates AND release = 0
