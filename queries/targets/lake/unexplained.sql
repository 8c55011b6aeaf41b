-- Answers: which values that stand in the files of a lake stand in no row of a table that is still in it.
-- Reads: lake_hits, the values; live_rows, the rows of one table.
-- Takes: item_text, a column of that table as text.
-- Gives: the table lake_hits (value), again.
CREATE OR REPLACE TEMP TABLE lake_hits AS
SELECT value
FROM lake_hits
WHERE NOT EXISTS (SELECT 1 FROM live_rows WHERE ANY_OF(contains(item_text, lake_hits.value)))
