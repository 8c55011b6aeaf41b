-- Answers: built-in fr-postal: a French postal code in its department and its region. Four digits lost their first
-- zero. Codes of Corsica are those of two departments; overseas three digits tell the department.
-- Reads: builtin_values, the values of a column as texts (value, text); code_ranges, the departments of each region
-- (first_code, above).
-- Takes: nothing.
-- Gives: value, text, place, label_0, label_1, label_2.
SELECT
    codes.value,
    codes.text,
    CASE WHEN code_ranges.above IS NOT NULL THEN codes.code END AS place,
    codes.text AS label_0,
    codes.department AS label_1,
    code_ranges.above AS label_2
FROM (
    SELECT
        value,
        text,
        code,
        CASE
            WHEN left(code, 3) IN ('200', '201') THEN '2A'
            WHEN left(code, 3) IN ('202', '206') THEN '2B'
            WHEN left(code, 2) IN ('97', '98') THEN left(code, 3)
            ELSE left(code, 2)
        END AS department
    FROM (
        SELECT
            value,
            text,
            lpad(nullif(regexp_extract(upper(text), '^\s*(?:FR?[- ])?([0-9]{4,5})\s*$', 1), ''), 5, '0') AS code
        FROM kanon.builtin_values
    ) AS matched
) AS codes
LEFT JOIN kanon.code_ranges ON code_ranges.first_code = codes.department
