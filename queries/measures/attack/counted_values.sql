-- Answers: the distinct values of one column of the source with their rows, and those that only the control group has.
-- Reads: source_tuples and control_tuples, the frequency tables of both (item_name, row_count).
-- Takes: item_name, the column of the values.
-- Gives: the table counted_values (value, row_count).
CREATE OR REPLACE TEMP TABLE counted_values AS
SELECT value, CAST(sum(row_count) AS BIGINT) AS row_count
FROM (
    SELECT item_name AS value, row_count FROM source_tuples
    UNION ALL
    SELECT item_name AS value, 0 AS row_count FROM control_tuples
) AS both_tables
GROUP BY value
