-- Answers: to whom the rows of a table belong, by a key of it that other tables go through.
-- Reads: table_rows, the rows of the table (through_key, person).
-- Takes: through_key, the column.
-- Gives: the table links (key, person, is_single), is_single where one row has the key.
CREATE OR REPLACE TEMP TABLE links AS
SELECT CAST(through_key AS VARCHAR) AS key, min(person) AS person, count(*) = 1 AS is_single
FROM table_rows
WHERE through_key IS NOT NULL AND person IS NOT NULL
GROUP BY CAST(through_key AS VARCHAR)
