-- Answers: which values that stand in files stand in no row of a table that is still there, nor in a part of its texts.
-- Reads: hits, the values; live_rows, the rows of one table.
-- Takes: item_text, a column of that table as text.
-- Gives: the table hits (value), again.
CREATE OR REPLACE TEMP TABLE hits AS
SELECT value
FROM hits
WHERE NOT EXISTS (SELECT 1 FROM live_rows WHERE ANY_OF(contains(item_text, hits.value)))
