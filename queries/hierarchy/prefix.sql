-- Built-in prefix: the first characters of a text, and one * for each that is removed.
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
FROM builtin_values
