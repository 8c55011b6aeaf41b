-- Answers: what is released, each row with its quasi-identifiers by what a search chose for them. It is one statement
-- for every search: parts of it that a release does not need are left out by an empty list. No position is NULL, yet
-- positions are compared as if they could be: else the joins of values become inner ones, which the engine puts in an
-- order that takes ten times as long with many quasi-identifiers.
-- Reads: source, the rows that take part; qi_mapping, the value of a quasi-identifier with what follows from it (its
-- labels and codes, or its position); mask_classes and drop_classes, the suppressed classes of a lattice node by their
-- codes: the first where suppressed rows stay, masked, the second where they are left out; value_classes, what released
-- classes of a node show of columns that are aggregated; tuple_assigned, the class
-- (part) of each tuple of positions; label_classes, the labels of each class.
-- Takes: out_value and out_name, the released values and their names; qi_key, the column of a quasi-identifier in
-- source; class_code, class_mapping and class_level, the codes that tell classes of a node apart and where each is
-- found; group_name and group_value, the column of the suppressed classes that tells groups apart, whose rows are
-- suppressed together, and the group of a row; place_position and place_mapping, the same of positions; label_part, the
-- class of a row; sort_key, the order.
-- Gives: the released rows under their real names.
SELECT out_value AS out_name
FROM source
LEFT JOIN qi_mapping ON qi_mapping.value IS NOT DISTINCT FROM source.qi_key
LEFT JOIN value_classes ON value_classes.class_code = class_mapping.class_level
LEFT JOIN mask_classes
    ON mask_classes.class_code = class_mapping.class_level
    AND mask_classes.group_name IS NOT DISTINCT FROM group_value
JOIN tuple_assigned ON tuple_assigned.place_position IS NOT DISTINCT FROM place_mapping.position
JOIN label_classes ON label_classes.part = label_part
WHERE NOT EXISTS (
    SELECT 1
    FROM drop_classes
    WHERE
        drop_classes.class_code = class_mapping.class_level
        AND drop_classes.group_name IS NOT DISTINCT FROM group_value
)
ORDER BY sort_key
