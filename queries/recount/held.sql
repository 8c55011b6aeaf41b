-- Answers: the values of rows that hold several, a row for each.
-- Reads: table_rows, the rows to be counted: qi_value and the list of values as a text in JSON, below held where it
-- stands beside that which the row has in the source.
-- Takes: sensitive_value, the column of the lists.
-- Gives: qi_value, sensitive_value.
SELECT
    qi_value,
    unnest(from_json(coalesce(json_extract_string(sensitive_value, '$.held'), sensitive_value), '["VARCHAR"]'))
        AS sensitive_value
FROM table_rows
