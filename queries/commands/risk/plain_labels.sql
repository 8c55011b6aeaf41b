-- What stands for the values of a quasi-identifier where nothing is generalized: their own texts.
CREATE OR REPLACE TEMP TABLE labels AS
SELECT
    0 AS level,
    CAST(value AS VARCHAR) AS label,
    rung_0 AS rung
FROM ladder
WHERE value IS NOT NULL
