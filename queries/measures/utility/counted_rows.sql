-- Answers: the distinct values of one column with their rows, from the rows themselves.
-- Reads: source, the rows of one side (item_value).
-- Takes: item_value, a value of the column; row_total, the number of rows.
-- Gives: the table counted_values (value, row_count).
CREATE OR REPLACE TEMP TABLE counted_values AS
SELECT item_value AS value, CAST(row_total AS BIGINT) AS row_count
FROM source
GROUP BY item_value
