-- Answers: the equivalence classes: how many rows share each combination of the quasi-identifiers. NULL is a value.
-- Reads: tuples, the distinct tuples with their rows (qi_name, row_count).
-- Takes: qi_name, of each quasi-identifier the column of its values.
-- Gives: the table class_list (qi_name, row_count).
CREATE OR REPLACE TEMP TABLE class_list AS
SELECT
    qi_name,
    CAST(sum(row_count) AS BIGINT) AS row_count
FROM tuples
GROUP BY qi_name
