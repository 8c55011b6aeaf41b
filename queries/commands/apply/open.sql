-- Answers: the classes of the new data, none of them decided.
-- Reads: counts, how often each row text is in each release (class, release).
-- Takes: nothing.
-- Gives: the table open_classes (class).
CREATE OR REPLACE TEMP TABLE open_classes AS
SELECT DISTINCT class
FROM counts
WHERE release = 0
