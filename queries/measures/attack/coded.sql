-- Answers: the frequency table of one side with numbers for values: ranks of the source's values, codes of labels.
-- Reads: tuples, the frequency table of one side (item_name, person_name, row_count); item_codes, of each column the
-- numbers of its values (value, item_key).
-- Takes: item_codes, of each column the table of its numbers; item_key, the column of these there; item_code, the name
-- of the column here; item_name, of each column its values; person_name, who a row is about.
-- Gives: the table coded (item_code, person_name, row_count).
CREATE OR REPLACE TEMP TABLE coded AS
SELECT
    item_codes.item_key AS item_code,
    dense_rank() OVER (ORDER BY tuples.person_name) AS person_name,
    tuples.row_count
FROM tuples
JOIN item_codes ON item_codes.value IS NOT DISTINCT FROM tuples.item_name
