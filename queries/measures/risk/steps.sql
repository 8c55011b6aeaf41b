-- Answers: the values of one released column: the level of each and its code there. Where all have one level it is
-- $level, else each has the highest at which it is a label. Level -1 is that of *, which stands for everything; a value
-- that is no label has no code.
-- Reads: risk_labels, the labels that classes hold (rung, level, label); class_list, the classes of the table
-- (qi_name).
-- Takes: qi_name, of each quasi-identifier the column of its values; $generalized, whether values are generalized;
-- $level, the level of the values.
-- Gives: the table steps (value, level, rung).
CREATE OR REPLACE TEMP TABLE steps AS
SELECT
    present.label AS value,
    CASE
        WHEN present.label = '*' AND $generalized THEN -1
        WHEN present.label IS NULL THEN coalesce($level, 0)
        ELSE coalesce(max(labels.level), 0)
    END AS level,
    CASE
        WHEN present.label = '*' AND $generalized THEN 0
        WHEN present.label IS NULL THEN 0
        ELSE max_by(labels.rung, labels.level)
    END AS rung
FROM (SELECT DISTINCT CAST(qi_name AS VARCHAR) AS label FROM class_list) AS present
LEFT JOIN kanon.risk_labels AS labels ON labels.label = present.label AND labels.level = coalesce($level, labels.level)
GROUP BY present.label
