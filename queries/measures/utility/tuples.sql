-- Answers: the frequency table of one side: how many rows share each combination of the columns that are compared, and
-- for each column of many numbers how many of these rows have one, with the sums of the numbers and of their squares.
-- Of a column of many texts those that are not among the most frequent are read as one.
-- Reads: source, the rows of one side (item_value, fold_raw, sum_number); fold_table, the most frequent texts of a
-- column with what each is read as (value, kept).
-- Takes: fold_raw, a text as it stands; fold_table, of each column of many texts its most frequent ones; item_name, of
-- each column its name here; item_value, of each column its value; row_total, the number of rows; sum_count, sum_square
-- and sum_total, of each column of many numbers the names of its sums; sum_number, its number.
-- Gives: the table tuples (item_name, row_count, sum_count, sum_total, sum_square).
CREATE OR REPLACE TEMP TABLE tuples AS
SELECT
    item_value AS item_name,
    CAST(row_total AS BIGINT) AS row_count,
    count(sum_number) AS sum_count,
    coalesce(sum(sum_number), 0) AS sum_total,
    coalesce(sum(sum_number * sum_number), 0) AS sum_square
FROM source
LEFT JOIN fold_table ON fold_table.value = fold_raw
GROUP BY item_value
