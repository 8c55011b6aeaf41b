-- Answers: texts that are ISO 8601 dates or timestamps as the moment that they write; an offset from UTC is left out,
-- so that the day is the day that stands there. Other texts have no moment.
-- Reads: builtin_values, the values of a column as texts (value, text).
-- Takes: text_read, the text as it is understood.
-- Gives: value, text, moment.
SELECT
    value,
    text,
    TRY_CAST(
        parts.day || ' ' || coalesce(nullif(parts.hour, ''), '00')
        || ':' || coalesce(nullif(parts.minute, ''), '00')
        || ':' || coalesce(nullif(parts.second, ''), '00') AS TIMESTAMP
    ) AS moment
FROM (
    SELECT
        value,
        text,
        regexp_extract(
            text_read,
            '^\s*([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[Tt ]([0-9]{2})(?::([0-9]{2})(?::([0-9]{2})(?:[.,][0-9]+)?)?)? ?(?:[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?)?\s*$',
            ['day', 'hour', 'minute', 'second']
        ) AS parts
    FROM kanon.builtin_values
) AS matched
