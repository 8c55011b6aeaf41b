-- Answers: of some columns of a table, whether each row has a value of its own.
-- Reads: table_rows, the rows of a table (key_value).
-- Takes: key_value, of each column its value.
-- Gives: total; present and different, a number for each column: rows with a value, and different values.
SELECT
    count(*) AS total,
    [LIST_OF(count(key_value))] AS present,
    [LIST_OF(count(DISTINCT key_value))] AS different
FROM table_rows
