-- Answers: how many rows have the values of another row.
-- Reads: table_rows, the rows of the table.
-- Takes: own_value, each of the values.
-- Gives: one row (row_count).
SELECT CAST(coalesce(sum(row_count), 0) AS BIGINT) AS row_count
FROM (
    SELECT count(*) AS row_count
    FROM table_rows
    GROUP BY own_value
    HAVING count(*) > 1
) AS repeated
