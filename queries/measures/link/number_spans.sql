-- Answers: numbers and ranges of numbers as the least and the greatest number that they hold: 43, 40-44, -10--1, [40,
-- 45), open ends as <18 and >=90, and bounds that were two columns, "40 to 44". Other texts have none.
-- Reads: labels, the distinct values of one side (code, bare).
-- Takes: nothing.
-- Gives: the table spans (code, low, high).
CREATE OR REPLACE TEMP TABLE spans AS
SELECT code, low, high
FROM (
    SELECT
        code,
        CASE
            WHEN starts_with(bare, ' to ') OR below <> '' THEN CAST('-inf' AS DOUBLE)
            WHEN above <> '' THEN TRY_CAST(above AS DOUBLE)
            ELSE TRY_CAST(coalesce(
                nullif(trim(single), ''), nullif(closed.low, ''), nullif(half_open.low, ''), nullif(bounds.low, '')
            ) AS DOUBLE)
        END AS low,
        coalesce(
            CASE WHEN above <> '' THEN CAST('inf' AS DOUBLE) END,
            TRY_CAST(coalesce(nullif(trim(single), ''), nullif(closed.high, ''), nullif(bounds.high, '')) AS DOUBLE),
            nextafter(TRY_CAST(coalesce(nullif(half_open.high, ''), nullif(below, '')) AS DOUBLE), CAST('-inf' AS DOUBLE))
        ) AS high
    FROM (
        SELECT
            code,
            bare,
            regexp_extract(bare, '^\s*([+-]?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][+-]?[0-9]+)?)\s*$', 1) AS single,
            regexp_extract(
                bare,
                '^(-?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][+-]?[0-9]+)?)-(-?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][+-]?[0-9]+)?)$',
                ['low', 'high']
            ) AS closed,
            regexp_extract(bare, '^\[(-?[0-9]+[.]?[0-9]*), (-?[0-9]+[.]?[0-9]*)\)$', ['low', 'high']) AS half_open,
            regexp_extract(bare, '^<(-?[0-9]+[.]?[0-9]*)$', 1) AS below,
            regexp_extract(bare, '^>=(-?[0-9]+[.]?[0-9]*)$', 1) AS above,
            regexp_extract(bare, '^(.*) to (.*)$', ['low', 'high']) AS bounds
        FROM labels
        WHERE bare IS NOT NULL
    ) AS read
) AS numbers
WHERE low <= high
