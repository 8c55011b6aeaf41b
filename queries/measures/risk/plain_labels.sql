-- Answers: what stands for the values of a quasi-identifier where nothing is generalized: their own texts.
-- Reads: ladder, the labels of a column by level (rung_0, value).
-- Takes: nothing.
-- Gives: the table risk_labels (level, label, rung).
CREATE OR REPLACE TEMP TABLE kanon.risk_labels AS
SELECT
    0 AS level,
    CAST(value AS VARCHAR) AS label,
    rung_0 AS rung
FROM ladder
WHERE value IS NOT NULL
