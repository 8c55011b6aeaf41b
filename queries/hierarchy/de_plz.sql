-- Answers: built-in de-plz: a German postal code by its first three, two and one digits, one * for each removed. Four
-- digits lost their first zero. None begins with 00.
-- Reads: builtin_values, the values of a column as texts (value, text).
-- Takes: nothing.
-- Gives: value, text, place, label_0, label_1, label_2, label_3.
SELECT
    value,
    text,
    place,
    text AS label_0,
    left(place, 3) || '**' AS label_1,
    left(place, 2) || '***' AS label_2,
    left(place, 1) || '****' AS label_3
FROM (
    SELECT
        value,
        text,
        lpad(nullif(regexp_extract(upper(text), '^\s*(?:DE?[- ])?(0?[1-9][0-9]{3}|[1-9][0-9]{4})\s*$', 1), ''), 5, '0') AS place
    FROM kanon.builtin_values
) AS codes
