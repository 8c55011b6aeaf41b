-- Answers: which values that stand in files no row of a table that is still there has as a whole in one of its columns.
-- Reads: hits, the values; live_values, the values of that column (value).
-- Takes: nothing.
-- Gives: the table hits (value), again.
CREATE OR REPLACE TEMP TABLE hits AS
SELECT value
FROM hits
WHERE NOT EXISTS (SELECT 1 FROM live_values WHERE CAST(live_values.value AS VARCHAR) = hits.value)
