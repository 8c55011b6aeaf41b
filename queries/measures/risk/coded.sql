-- Answers: the frequency table with codes for values.
-- Reads: tuples, the distinct tuples with their rows (row_count, item_name); item_codes, of each column the numbers of
-- its values (code, value).
-- Takes: item_code, of each column its number; item_name, of each column its name.
-- Gives: the table coded (item_code, row_count).
CREATE OR REPLACE TEMP TABLE coded AS
SELECT
    item_codes.code AS item_code,
    tuples.row_count
FROM tuples
LEFT JOIN item_codes ON item_codes.value IS NOT DISTINCT FROM tuples.item_name
