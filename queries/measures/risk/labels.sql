-- Answers: what stands for the values of a quasi-identifier at each level: their own texts, or the labels of the
-- hierarchy.
-- Reads: ladder, the labels of a column by level (rung_0, value); weight, the released values of a hierarchy (level,
-- label, code).
-- Takes: nothing.
-- Gives: the table risk_labels (level, label, rung).
CREATE OR REPLACE TEMP TABLE kanon.risk_labels AS
SELECT
    0 AS level,
    CAST(value AS VARCHAR) AS label,
    rung_0 AS rung
FROM ladder
WHERE value IS NOT NULL
UNION ALL
SELECT
    CAST(level AS INTEGER) AS level,
    CAST(label AS VARCHAR) AS label,
    CAST(code AS BIGINT) AS rung
FROM weight
WHERE level > 0 AND label IS NOT NULL
