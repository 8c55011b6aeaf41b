-- Answers: the values of every quasi-identifier; one pass over the rows finds those of all columns.
-- Reads: table_rows, the rows to be counted (key_value).
-- Takes: key_value, of each column its values; key_position, its number.
-- Gives: the table known_values (position, key_value): a value stands in its own column, NULL is a value.
CREATE OR REPLACE TEMP TABLE kanon.known_values AS
SELECT
    SUM_OF(key_position * (1 - GROUPING(key_value))) AS position,
    key_value
FROM table_rows
GROUP BY GROUPING SETS ((key_value))
