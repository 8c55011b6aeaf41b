-- Answers: the sensitive values of each person in a column of a table.
-- Reads: table_rows, the rows of the table (person).
-- Takes: sensitive_value, the value as text, NULL where it is missing; sensitive_name, the name of the column.
-- Gives: rows (person, name, value), each once.
SELECT DISTINCT table_rows.person, sensitive_name AS name, sensitive_value AS value
FROM table_rows
WHERE table_rows.person IS NOT NULL AND sensitive_value IS NOT NULL
