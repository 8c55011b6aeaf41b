-- Answers: the codes of a population's values by their labels: those of the source, or negative ones where it has no
-- such label. Code 0 is the missing value, whatever its label.
-- Reads: mapping, the mapping table (value, step_label, step_code); step_known, a level's labels with their codes in
-- the source (label, code).
-- Takes: step_code, of each level the column of its codes; step_label, of each level the column of its labels;
-- step_name, of each level the name of the codes here; step_table, of each level the name of its labels in the join.
-- Gives: the table joint (value, step_name).
CREATE OR REPLACE TEMP TABLE joint AS
SELECT
    mapping.value,
    CASE
        WHEN mapping.step_code = 0 THEN 0
        ELSE coalesce(CAST(step_table.code AS BIGINT), -1 - CAST(mapping.step_code AS BIGINT))
    END AS step_name
FROM mapping
LEFT JOIN step_known AS step_table ON step_table.label IS NOT DISTINCT FROM CAST(mapping.step_label AS VARCHAR)
