-- The codes of a population's values by their labels: those of the source, or negative ones where it has no such label.
-- Code 0 is the missing value, whatever its label.
CREATE OR REPLACE TEMP TABLE joint AS
SELECT
    mapping.value,
    CASE
        WHEN mapping.step_code = 0 THEN 0
        ELSE coalesce(CAST(step_table.code AS BIGINT), -1 - CAST(mapping.step_code AS BIGINT))
    END AS step_name
FROM mapping
LEFT JOIN step_known AS step_table ON step_table.label IS NOT DISTINCT FROM CAST(mapping.step_label AS VARCHAR)
