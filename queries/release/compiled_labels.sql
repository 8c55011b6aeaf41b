-- Answers: the classes as a statement lists them.
-- Reads: released_classes, the labels of each class (part); other_classes, the same classes with what numbers them.
-- Takes: class_number, the numbers of a class: its part, or the ends of its ranges; label_name, its labels or bounds.
-- Gives: the numbers, the labels as texts.
SELECT
    numbered.class_number,
    CAST(released_classes.label_name AS VARCHAR) AS label_name
FROM kanon.released_classes
JOIN other_classes AS numbered ON numbered.part = released_classes.part
ORDER BY released_classes.part
