-- Answers: the lowest level at which every value of a released column is a label, NULL without one. Missing values and
-- *, which stands for everything, say nothing of the level.
-- Reads: risk_labels, the labels that classes hold (level, label); class_list, the classes of the table (qi_name).
-- Takes: qi_name, of each quasi-identifier the column of its values.
-- Gives: common_level.
SELECT min(level) AS common_level
FROM (
    SELECT risk_labels.level
    FROM kanon.risk_labels
    JOIN (
        SELECT DISTINCT CAST(qi_name AS VARCHAR) AS label FROM class_list
    ) AS present ON present.label = risk_labels.label
    WHERE present.label <> '*'
    GROUP BY risk_labels.level
    HAVING
        count(*) = (
            SELECT count(DISTINCT CAST(qi_name AS VARCHAR))
            FROM class_list
            WHERE CAST(qi_name AS VARCHAR) <> '*'
        )
) AS complete
