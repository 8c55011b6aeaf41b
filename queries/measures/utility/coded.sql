-- Answers: the frequency table of one side with codes for values, and for each column of numbers how many rows have
-- one, with the sums of the numbers and of their squares.
-- Reads: tuples, the frequency table of one side (item_name, row_count, sum_count, sum_total, sum_square); item_codes,
-- of each column the codes of its values (value, code, x).
-- Takes: item_code, of each column the name of its code here; item_codes, of each column the table of its codes;
-- item_name, of each column its values; number_codes, of each column of few numbers the table of its codes;
-- number_count, number_square, number_total and number_x, the names of its sums and of its number; sum_count,
-- sum_square and sum_total, of each column of many numbers its sums.
-- Gives: the table coded (row_count, item_code, number_x, number_count, number_total, number_square, sum_count,
-- sum_total, sum_square).
CREATE OR REPLACE TEMP TABLE coded AS
SELECT
    tuples.row_count,
    item_codes.code AS item_code,
    number_codes.x AS number_x,
    CASE WHEN number_codes.x IS NULL THEN 0 ELSE tuples.row_count END AS number_count,
    coalesce(number_codes.x, 0) * tuples.row_count AS number_total,
    coalesce(number_codes.x * number_codes.x, 0) * tuples.row_count AS number_square,
    tuples.sum_count,
    tuples.sum_total,
    tuples.sum_square
FROM tuples
LEFT JOIN item_codes ON item_codes.value IS NOT DISTINCT FROM tuples.item_name
