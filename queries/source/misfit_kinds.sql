-- Answers: what the texts of a column look like that its type does not fit: each kind, the most frequent first, with
-- its distinct values and their rows, and five of them.
-- Reads: misfits, the distinct texts with their rows (value, row_count).
-- Takes: fits_trimmed, whether a text would fit without the blanks around it.
-- Gives: kind, distinct_values, rows, examples.
SELECT
    kind,
    CAST(count(*) AS BIGINT) AS distinct_values,
    CAST(sum(row_count) AS BIGINT) AS rows,
    list_slice(list(value ORDER BY value), 1, 5) AS examples
FROM (
    SELECT
        value,
        row_count,
        CASE
            WHEN trim(value) = '' THEN 'empty or blank texts'
            WHEN fits_trimmed THEN 'texts that fit but for blanks around them'
            WHEN regexp_full_match(value, '[+-]?[0-9]+') THEN 'whole numbers'
            WHEN regexp_full_match(value, '[+-]?[0-9]*,[0-9]+') THEN 'numbers with a decimal comma'
            WHEN regexp_full_match(value, '[+-]?[0-9]*[.][0-9]+') THEN 'numbers with a decimal point'
            WHEN regexp_full_match(value, '[+-]?[0-9]*([.,][0-9]*)?[eE][+-]?[0-9]+') THEN 'numbers with an exponent'
            WHEN regexp_full_match(value, '[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{2,4}') THEN 'dates written with points'
            WHEN regexp_full_match(value, '[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4}') THEN 'dates written with slashes'
            WHEN regexp_full_match(value, '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}') THEN 'dates written as yyyy-mm-dd'
            WHEN regexp_full_match(value, '[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}[ T].*') THEN 'dates with a time of day'
            WHEN regexp_full_match(value, '[+-]?[0-9][0-9., ''_]*[0-9]') THEN 'numbers with other marks'
            WHEN regexp_matches(value, '[0-9]') THEN 'texts with digits'
            ELSE 'texts without digits'
        END AS kind
    FROM misfits
) AS looked_at
GROUP BY kind
ORDER BY rows DESC, kind
