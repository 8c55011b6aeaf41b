-- Answers: what each class is released as. One that holds a single value shows it, one of nothing but missing values
-- shows these.
-- Reads: members, the tuples of each class (part); held, the values of each class (part, place, label); aggregates, the
-- aggregate of each class (part).
-- Takes: label_text, the text of an aggregate; $missing, the label of missing values.
-- Gives: the table labels (part, label).
CREATE OR REPLACE TEMP TABLE labels AS
SELECT
    classes.part,
    CASE
        WHEN ends.part IS NULL THEN CAST($missing AS VARCHAR)
        WHEN ends.lowest = ends.highest THEN ends.only_label
        ELSE label_text
    END AS label
FROM (SELECT DISTINCT part FROM members WHERE part IS NOT NULL) AS classes
LEFT JOIN (
    SELECT part, min(place) AS lowest, max(place) AS highest, min(label) AS only_label
    FROM held
    GROUP BY part
) AS ends ON ends.part = classes.part
LEFT JOIN aggregates ON aggregates.part = classes.part
