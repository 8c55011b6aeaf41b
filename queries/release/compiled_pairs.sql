-- Answers: one level of a mapping table as a statement lists it.
-- Reads: mapping, a quasi-identifier's mapping table.
-- Takes: label_value, what a value becomes; level_code, the column of its code.
-- Gives: value as text, label, code.
SELECT DISTINCT
    CAST(value AS VARCHAR) AS value,
    label_value AS label,
    CAST(level_code AS BIGINT) AS code
FROM mapping
ORDER BY value NULLS FIRST
