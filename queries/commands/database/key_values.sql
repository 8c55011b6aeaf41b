-- Answers: the different values of a key in rows that are released.
-- Reads: released_rows, the rows (own_key).
-- Takes: own_key, the column.
-- Gives: the table key_values (key).
CREATE OR REPLACE TEMP TABLE key_values AS
SELECT DISTINCT CAST(own_key AS VARCHAR) AS key
FROM released_rows
WHERE own_key IS NOT NULL
