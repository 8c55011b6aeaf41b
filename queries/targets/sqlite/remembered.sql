-- Answers: by which values it is told whether a database of SQLite forgot a table: the texts of some of its rows.
-- Reads: source, the rows of the table.
-- Takes: $most, how many values at most; item_text, a column of the rows as text.
-- Gives: the table before_values (value, is_hit: not yet), values of five letters and more, each once: the same ones in
--   every run.
CREATE OR REPLACE TEMP TABLE before_values AS
WITH chosen AS (
    SELECT [LIST_OF(item_text)] AS texts
    FROM source
    ORDER BY hash([LIST_OF(item_text)])
    LIMIT 500
),

texts AS (
    SELECT DISTINCT unnest(texts) AS value FROM chosen
)

SELECT value, false AS is_hit
FROM texts
WHERE length(value) >= 5
ORDER BY hash(value), value
LIMIT $most
