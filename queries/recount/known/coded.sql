-- Answers: the rows with numbers for the values of their quasi-identifiers; rows that are alike are one.
-- Reads: table_rows, the rows to be counted (key_value, other_value); key_numbers, of each quasi-identifier its values
-- with their numbers (value, code).
-- Takes: key_value and key_code, of each quasi-identifier its values and its number; other_value, what else is counted;
-- row_total, the number of rows.
-- Gives: the table known_rows (key_code, other_value, row_count).
CREATE OR REPLACE TEMP TABLE kanon.known_rows AS
SELECT
    key_numbers.code AS key_code,
    table_rows.other_value,
    row_total AS row_count
FROM table_rows
JOIN key_numbers ON key_numbers.value IS NOT DISTINCT FROM table_rows.key_value
GROUP BY key_numbers.code, table_rows.other_value
