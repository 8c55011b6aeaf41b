-- The equivalence classes: how many rows share each combination of the quasi-identifiers. NULL is a value.
CREATE OR REPLACE TEMP TABLE class_list AS
SELECT
    qi_name,
    CAST(sum(row_count) AS BIGINT) AS row_count
FROM tuples
GROUP BY qi_name
