-- Answers: built-in nace: a code of NACE Rev. 2 in its group, its division and its section. A coarser code stays itself
-- up to its own level; what national classifications add behind a class is left out. A section letter before the digits
-- must be that of the division.
-- Reads: builtin_values, the values of a column as texts (value, text); code_ranges, the divisions of each section
-- (first_code, last_code, above).
-- Takes: nothing.
-- Gives: value, text, place, label_0, label_1, label_2, label_3.
SELECT
    value,
    text,
    CASE WHEN section IS NULL OR section = above THEN above || coalesce(division, '') || digits END AS place,
    text AS label_0,
    coalesce(division || coalesce('.' || nullif(left(digits, 1), ''), ''), above) AS label_1,
    coalesce(division, above) AS label_2,
    above AS label_3
FROM (
    SELECT
        codes.value,
        codes.text,
        codes.section,
        codes.division,
        codes.digits,
        code_ranges.above
    FROM (
        SELECT
            value,
            text,
            nullif(parts.section, '') AS section,
            nullif(parts.division, '') AS division,
            parts.digits AS digits
        FROM (
            SELECT
                value,
                text,
                regexp_extract(
                    upper(text),
                    '^\s*([A-U]?)\s?(?:([0-9]{2})(?:\.?([0-9](?:[0-9](?:\.?[0-9A-Z]{1,2})?)?))?)?\s*$',
                    ['section', 'division', 'digits']
                ) AS parts
            FROM kanon.builtin_values
        ) AS matched
    ) AS codes
    LEFT JOIN kanon.code_ranges
        ON codes.division BETWEEN code_ranges.first_code AND code_ranges.last_code
        OR (codes.division IS NULL AND codes.section = code_ranges.above)
) AS placed
