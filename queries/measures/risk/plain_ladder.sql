-- Answers: one quasi-identifier of the population without a hierarchy: each of its values with a code of its own, in no
-- order.
-- Reads: tuples, the distinct tuples with their rows (qi_name).
-- Takes: qi_name, of each quasi-identifier the column of its values.
-- Gives: the table ladder (value, rung_0).
CREATE OR REPLACE TEMP TABLE ladder AS
SELECT
    value,
    CASE
        WHEN value IS NULL THEN 0
        ELSE CAST(row_number() OVER () AS BIGINT)
    END AS rung_0
FROM (SELECT DISTINCT qi_name AS value FROM tuples) AS present
