-- Answers: numerals as whole multiples of a unit, 10 to the power of minus $scale, rounded down; exact, since it only
-- moves the point within the digits. Texts that are no numerals, and numbers of more than 38 digits, have no units.
-- Reads: builtin_values, the values of a column as texts (value, text).
-- Takes: text_read, the text as it is understood; $scale, how many decimals a unit has.
-- Gives: the table interval_units (value, text, units, rounded).
CREATE OR REPLACE TEMP TABLE kanon.interval_units AS
SELECT
    value,
    text,
    CASE WHEN sign = '-' THEN -magnitude - CAST(rounded AS INTEGER) ELSE magnitude END AS units,
    rounded
FROM (
    SELECT
        value,
        text,
        sign,
        CASE
            WHEN digits = '' OR point <= 0 THEN CAST(0 AS HUGEINT)
            WHEN point <= 38 THEN CAST(rpad(left(digits, point), point, '0') AS HUGEINT)
        END AS magnitude,
        CASE
            WHEN point <= 0 THEN digits <> ''
            ELSE regexp_matches(substr(digits, point + 1), '[1-9]')
        END AS rounded
    FROM (
        SELECT
            value,
            text,
            sign,
            ltrim(written, '0') AS digits,
            CAST(point - length(written) + length(ltrim(written, '0')) AS INTEGER) AS point
        FROM (
            SELECT
                value,
                text,
                parts.sign AS sign,
                nullif(parts.whole || parts.fraction, '') AS written,
                length(parts.whole) + coalesce(TRY_CAST(parts.exponent AS INTEGER), 0) + $scale AS point
            FROM (
                SELECT
                    value,
                    text,
                    regexp_extract(
                        text_read,
                        '^\s*([+-]?)([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]{1,4}))?\s*$',
                        ['sign', 'whole', 'fraction', 'exponent']
                    ) AS parts
                FROM kanon.builtin_values
            ) AS matched
        ) AS numerals
    ) AS stripped
) AS moved
