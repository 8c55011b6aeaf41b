-- Answers: built-in uk-postcode: a British postcode, with or without its blank, in its sector, district and area. A
-- district or a sector alone stays itself up to its own level.
-- Reads: builtin_values, the values of a column as texts (value, text); code_ranges, the areas (first_code, above).
-- Takes: nothing.
-- Gives: value, text, place, label_0, label_1, label_2, label_3.
SELECT
    codes.value,
    codes.text,
    CASE
        WHEN code_ranges.above IS NOT NULL THEN codes.area || codes.district || coalesce(' ' || codes.sector, '') || codes.unit
    END AS place,
    codes.text AS label_0,
    codes.area || codes.district || coalesce(' ' || codes.sector, '') AS label_1,
    codes.area || codes.district AS label_2,
    codes.area AS label_3
FROM (
    SELECT
        value,
        text,
        nullif(parts.area, '') AS area,
        parts.district AS district,
        coalesce(nullif(parts.whole, ''), nullif(parts.sector, '')) AS sector,
        parts.unit AS unit
    FROM (
        SELECT
            value,
            text,
            regexp_extract(
                upper(text),
                '^\s*([A-Z]{1,2})([0-9][0-9A-Z]?)(?:\s*([0-9])([A-Z]{2})|\s+([0-9]))?\s*$',
                ['area', 'district', 'whole', 'unit', 'sector']
            ) AS parts
        FROM kanon.builtin_values
    ) AS matched
) AS codes
LEFT JOIN kanon.code_ranges ON code_ranges.first_code = codes.area
