-- Answers: built-in merge-rare: a value that fewer rows hold than a level asks for is one with all others of the kind.
-- A value that no row of the source holds is rare.
-- Reads: builtin_values, the values of a column as texts (value, text); raw_counts, the rows of the source by their
-- value (value, row_count).
-- Takes: level_below, of each level how many rows a value needs; level_name, of each level the name of its column here;
-- $other, the label of rare values.
-- Gives: value, text, place, label_0, level_name.
SELECT
    builtin_values.value AS value,
    text,
    text AS place,
    text AS label_0,
    CASE
        WHEN text IS NULL THEN NULL
        WHEN coalesce(raw_counts.row_count, 0) < level_below THEN $other
        ELSE text
    END AS level_name
FROM kanon.builtin_values
LEFT JOIN raw_counts ON raw_counts.value IS NOT DISTINCT FROM builtin_values.value
