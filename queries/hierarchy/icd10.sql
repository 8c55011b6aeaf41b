-- Answers: built-in icd10: a code of ICD-10, with or without its point, in its category of three characters, its block
-- and its chapter. What editions write behind a code is left out: a dash for what is not specified, the marks of cross
-- and star, letters for certainty and side. A category with a letter at its end is a range of its own.
-- Reads: builtin_values, the values of a column as texts (value, text); code_ranges, the categories of each block
-- (first_code, last_code, above, top).
-- Takes: nothing.
-- Gives: value, text, place, label_0, label_1, label_2, label_3.
SELECT
    value,
    text,
    CASE WHEN code_ranges.above IS NOT NULL THEN category || subcategory END AS place,
    text AS label_0,
    category AS label_1,
    code_ranges.above AS label_2,
    code_ranges.top AS label_3
FROM (
    SELECT value, text, nullif(parts.category, '') AS category, parts.subcategory AS subcategory
    FROM (
        SELECT
            value,
            text,
            regexp_extract(
                upper(text),
                '^\s*([A-Z][0-9A][0-9A-Z])\.?([0-9A-Z]{0,4})(?:\.?-)?[*+!#†]?(?:\s+[GVAZRLB]{1,2})?\s*$',
                ['category', 'subcategory']
            ) AS parts
        FROM kanon.builtin_values
    ) AS matched
) AS codes
LEFT JOIN kanon.code_ranges
    ON codes.category BETWEEN code_ranges.first_code AND code_ranges.last_code
    AND (codes.category = code_ranges.first_code OR right(codes.category, 1) BETWEEN '0' AND '9')
