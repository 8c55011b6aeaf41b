-- Answers: the row of a table that has each key, with the quasi-identifiers of persons that stand there.
-- Reads: table_rows, the rows of the table (own_key, via_value).
-- Takes: own_key, the key; via_value and via_name, of each quasi-identifier its value and its name.
-- Gives: the table joined_rows (key, is_single, via_name), is_single where one row has the key.
CREATE OR REPLACE TEMP TABLE joined_rows AS
SELECT CAST(own_key AS VARCHAR) AS key, count(*) = 1 AS is_single, any_value(via_value) AS via_name
FROM table_rows
WHERE own_key IS NOT NULL
GROUP BY CAST(own_key AS VARCHAR)
