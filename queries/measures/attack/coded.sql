-- Answers: the frequency table of one side with numbers for values: ranks of the source's values, codes of labels.
-- Reads: tuples, the frequency table of one side (item_name, person_name, row_count); item_codes, of each column the
-- numbers of its values (value).
-- Takes: item_codes, of each column the table of its numbers; item_number, these; item_code, the name of the column
-- here; item_name, of each column its values; person_name, who a row is about; person_least and person_most, the names
-- for the number of that, as the first and the last.
-- Gives: the table coded (item_code, person_least, person_most, row_count).
CREATE OR REPLACE TEMP TABLE coded AS
SELECT
    item_number AS item_code,
    dense_rank() OVER (ORDER BY tuples.person_name) AS person_least,
    dense_rank() OVER (ORDER BY tuples.person_name) AS person_most,
    tuples.row_count
FROM tuples
LEFT JOIN item_codes ON item_codes.value IS NOT DISTINCT FROM tuples.item_name
