-- Answers: the distinct values of one column with their rows.
-- Reads: tuples, the frequency table of one side (item_name, row_count).
-- Takes: item_name, the column of the values.
-- Gives: the table counted_values (value, row_count).
CREATE OR REPLACE TEMP TABLE counted_values AS
SELECT item_name AS value, CAST(sum(row_count) AS BIGINT) AS row_count
FROM tuples
GROUP BY item_name
