-- Answers: the combinations of values in a set of columns that hold too few: counts only, no value.
-- Reads: table_rows, the rows to be counted: key_value.
-- Takes: key_value, the columns of the set; row_total, the number of rows; found, what is counted of them: rows,
-- entities or values of a sensitive column; least, how many these are to be.
-- Gives: class_rows, reached.
SELECT CAST(row_total AS BIGINT) AS class_rows, CAST(found AS DOUBLE) AS reached
FROM table_rows
GROUP BY key_value
HAVING found < least
