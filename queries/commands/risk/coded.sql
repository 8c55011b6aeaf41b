-- The frequency table with codes for values.
CREATE OR REPLACE TEMP TABLE coded AS
SELECT
    item_codes.code AS item_code,
    tuples.row_count
FROM tuples
JOIN item_codes ON item_codes.value IS NOT DISTINCT FROM tuples.item_name
