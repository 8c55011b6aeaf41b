-- Answers: which values that stand in files no row of a table that is still there has as a whole.
-- Reads: hits, the values; live_rows, the rows of one table.
-- Takes: item_text, a column of that table as text.
-- Gives: the table hits (value), again.
CREATE OR REPLACE TEMP TABLE hits AS
WITH texts AS (
    SELECT unnest([LIST_OF(item_text)]) AS value FROM live_rows
),

shown AS (
    SELECT DISTINCT texts.value
    FROM texts
    SEMI JOIN hits ON texts.value = hits.value
)

SELECT value
FROM hits
WHERE NOT EXISTS (SELECT 1 FROM shown WHERE shown.value = hits.value)
