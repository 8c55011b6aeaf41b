-- Answers: the equivalence classes of a table, as they are written: NULL is a value.
-- Reads: written, the rows (qi_value).
-- Takes: written_rows, how many rows one of them stands for.
-- Gives: the table recounted_classes (qi_value, row_count).
CREATE OR REPLACE TEMP TABLE recounted_classes AS
SELECT
    qi_value,
    CAST(sum(written_rows) AS BIGINT) AS row_count
FROM written
GROUP BY qi_value
