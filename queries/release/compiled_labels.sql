-- The classes as a statement lists them: numbers, and labels or bounds as texts.
SELECT
    numbered.class_number,
    CAST(released_classes.label_name AS VARCHAR) AS label_name
FROM released_classes
JOIN other_classes AS numbered ON numbered.part = released_classes.part
ORDER BY released_classes.part
