-- Answers: how many rows each class has, and what k counts of it: rows, or entities.
-- Reads: table_rows, the rows to be counted: qi_value.
-- Takes: row_total, the number of rows; holder_total, the same, or the number of entities.
-- Gives: qi_value, size, holders.
SELECT qi_value, row_total AS size, holder_total AS holders
FROM table_rows
GROUP BY qi_value
