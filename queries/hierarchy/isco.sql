-- Answers: built-in isco: a code of ISCO-08 in its minor, sub-major and major group. Zeros at the end of four digits
-- say that no more is known: 2200 is sub-major group 22. Three digits that end in 0 are no minor group, but a unit
-- group of the armed forces that lost its first zero. A coarser code stays itself up to its own level.
-- Reads: builtin_values, the values of a column as texts (value, text); code_ranges, the sub-major groups of each major
-- one (first_code, last_code, above).
-- Takes: nothing.
-- Gives: value, text, place, label_0, label_1, label_2, label_3.
SELECT
    value,
    text,
    place,
    text AS label_0,
    left(place, 3) AS label_1,
    left(place, 2) AS label_2,
    left(place, 1) AS label_3
FROM (
    SELECT
        codes.value,
        codes.text,
        CASE WHEN code_ranges.above IS NOT NULL THEN codes.code END AS place
    FROM (
        SELECT
            value,
            text,
            CASE
                WHEN digits IN ('110', '210', '310') THEN '0' || digits
                WHEN length(digits) = 4 THEN left(digits, 1) || rtrim(substr(digits, 2), '0')
                WHEN length(digits) < 3 OR right(digits, 1) <> '0' THEN digits
            END AS code
        FROM (
            SELECT value, text, nullif(regexp_extract(text, '^\s*([0-9]{1,4})(?:\.[0-9.]*)?\s*$', 1), '') AS digits
            FROM kanon.builtin_values
        ) AS matched
    ) AS codes
    LEFT JOIN kanon.code_ranges
        ON left(codes.code, 2) BETWEEN code_ranges.first_code AND code_ranges.last_code
        OR codes.code = code_ranges.above
) AS placed
