-- Answers: how many rows of each class hold each sensitive value, or how many entities where these are counted.
-- Reads: table_rows, the rows to be counted: qi_value and the sensitive value.
-- Takes: sensitive_value, the column of the values; holder_total, the number of rows, or of entities.
-- Gives: qi_value, value, row_count.
SELECT qi_value, sensitive_value AS value, holder_total AS row_count
FROM table_rows
GROUP BY qi_value, sensitive_value
