-- A mapping table as the engine that holds the rows joins it: each value and the codes of its levels.
SELECT
    CAST(value AS VARCHAR) AS value,
    CAST(step_code AS BIGINT) AS step_code
FROM mapping
