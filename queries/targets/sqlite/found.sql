-- Answers: which values stand in a file.
-- Reads: before_values, the values (value, is_hit).
-- Takes: nothing.
-- Gives: the table hits (value).
CREATE OR REPLACE TEMP TABLE hits AS
SELECT value
FROM before_values
WHERE is_hit
