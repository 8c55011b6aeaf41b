-- Answers: of the columns of a table, about how many different values each has, in one pass that holds none of them.
-- Reads: table_rows, the rows of a table (key_value).
-- Takes: key_value, of each column its value.
-- Gives: total; present and different, a number for each column: rows with a value, and about how many differ.
SELECT
    count(*) AS total,
    [LIST_OF(count(key_value))] AS present,
    [LIST_OF(approx_count_distinct(key_value))] AS different
FROM table_rows
