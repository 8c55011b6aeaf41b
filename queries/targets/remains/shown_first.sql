-- Answers: which values that stand in files none of the first rows of a table that is still there has as a whole: most
--   values are seen soon, so that few columns are read to their end for the others.
-- Reads: hits, the values; live_rows, the rows of one table.
-- Takes: item_text, a column of that table as text.
-- Gives: the table hits (value), again.
CREATE OR REPLACE TEMP TABLE hits AS
WITH first_values AS (
    SELECT unnest([LIST_OF(item_text)]) AS value
    FROM (SELECT * FROM live_rows LIMIT 20_000) AS first_rows
)

SELECT value
FROM hits
WHERE NOT EXISTS (SELECT 1 FROM first_values WHERE first_values.value = hits.value)
