-- Answers: the values of all rows that a class is compared with, where rows hold several, a row for each.
-- Reads: table_rows, all rows: the list of values as a text in JSON, below source where a shorter one stands beside.
-- Takes: sensitive_value, the column of the lists.
-- Gives: sensitive_value.
SELECT
    unnest(from_json(coalesce(json_extract_string(sensitive_value, '$.source'), sensitive_value), '["VARCHAR"]'))
        AS sensitive_value
FROM table_rows
