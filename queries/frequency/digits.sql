-- Answers: how the numbers of a dimension are written: for each number of decimals the most digits before the point,
-- and whether the last decimal of any is a five. Zeros at the end count for nothing.
-- Reads: places, a row for each position of a dimension (position, bound).
-- Takes: nothing.
-- Gives: decimals, whole_digits, has_five.
SELECT
    greatest(length(fraction) - exponent, 0) AS decimals,
    max(length(matched.whole) + greatest(exponent, 0)) AS whole_digits,
    bool_or(right(CASE WHEN fraction = '' THEN matched.whole ELSE fraction END, 1) = '5') AS has_five
FROM (
    SELECT
        matched,
        rtrim(matched.fraction, '0') AS fraction,
        coalesce(TRY_CAST(nullif(matched.exponent, '') AS INTEGER), 0) AS exponent
    FROM (
        SELECT
            regexp_extract(
                CAST(bound AS VARCHAR),
                '^-?([0-9]+)(?:[.]([0-9]+))?(?:[eE]([+-]?[0-9]+))?$',
                ['whole', 'fraction', 'exponent']
            ) AS matched
        FROM places
        WHERE position > 0
    ) AS texts
) AS parts
GROUP BY greatest(length(fraction) - exponent, 0)
