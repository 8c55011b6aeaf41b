-- Answers: every value stands for itself: an exact text that values of both sides may share.
-- Reads: labels, the distinct values of one side (code, bare).
-- Takes: nothing.
-- Gives: the table points (code, point).
CREATE OR REPLACE TEMP TABLE points AS
SELECT code, bare AS point
FROM labels
WHERE bare IS NOT NULL
