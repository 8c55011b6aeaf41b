-- Answers: built-in prefix: the first characters of a text, and one * for each that is removed.
-- Reads: builtin_values, the values of a column as texts (value, text).
-- Takes: level_keep, of each level how many characters are kept; level_name, of each level the name of its column here.
-- Gives: value, text, place, label_0, level_name.
SELECT
    value,
    text,
    text AS place,
    text AS label_0,
    CASE
        WHEN length(text) > level_keep
        THEN left(text, level_keep) || repeat('*', length(text) - level_keep)
        ELSE text
    END AS level_name
FROM kanon.builtin_values
