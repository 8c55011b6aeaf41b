-- Answers: one dimension of numbers: each class as a range whose ends are no values of the data. In units of the last
-- digit that any value has, the ends are multiples of a step (1, 2 or 5 times a power of ten, a tenth of the range's
-- width or more, two units at least), half a unit outside of these: they have a digit that no value has. What all rows
-- of a class share is no range; where missing values are beside it, it is.
-- Reads: classes, the classes by the least and the greatest position of each dimension (part, this_first, this_low,
-- this_high); places, a row for each position of a dimension (label, position).
-- Takes: lower_units and upper_units, the ends of a range on the grid, in units; this_first, of each dimension the
-- least position that is no missing value; this_high and this_low, of each dimension the least and the greatest
-- position; $digits, how many decimals the ends have; $missing, the label of missing values; $span, how far a range
-- reaches at least.
-- Gives: the table labels (part, label, cost).
CREATE OR REPLACE TEMP TABLE labels AS
SELECT
    part,
    CASE
        WHEN low IS NULL THEN CAST($missing AS VARCHAR)
        WHEN is_single THEN single
        ELSE
            CASE WHEN lower_end < 0 THEN '-' ELSE '' END
            || left(lower_digits, length(lower_digits) - $digits - 1) || '.' || right(lower_digits, $digits + 1)
            || '-'
            || CASE WHEN upper_end < 0 THEN '-' ELSE '' END
            || left(upper_digits, length(upper_digits) - $digits - 1) || '.' || right(upper_digits, $digits + 1)
    END
    || CASE WHEN has_missing THEN ' or missing' ELSE '' END AS label,
    CASE
        WHEN low IS NULL OR is_single OR CAST($span AS DOUBLE) = 0 THEN 0.0
        ELSE least(CAST(upper_end - lower_end AS DOUBLE) / pow(10, $digits + 1) / CAST($span AS DOUBLE), 1.0)
    END AS cost
FROM (
    SELECT
        part,
        has_missing,
        is_single,
        single,
        low,
        CAST('1' || repeat('0', length(CAST(tenth AS VARCHAR)) - 1) AS HUGEINT) AS power,
        CASE
            WHEN tenth <= power THEN power
            WHEN tenth <= 2 * power THEN 2 * power
            WHEN tenth <= 5 * power THEN 5 * power
            ELSE 10 * power
        END AS step,
        low - (low % step + step) % step AS lowest,
        greatest(high + (step - high % step) % step, lowest + step) AS highest,
        10 * lowest - 5 AS lower_end,
        10 * highest + 5 AS upper_end,
        CAST(abs(lower_end) AS VARCHAR) AS lower_text,
        CAST(abs(upper_end) AS VARCHAR) AS upper_text,
        lpad(lower_text, CAST(greatest(length(lower_text), $digits + 2) AS INTEGER), '0') AS lower_digits,
        lpad(upper_text, CAST(greatest(length(upper_text), $digits + 2) AS INTEGER), '0') AS upper_digits
    FROM (
        SELECT
            classes.part,
            classes.this_first > classes.this_low AS has_missing,
            classes.this_low = classes.this_high AS is_single,
            lower_place.label AS single,
            lower_units AS low,
            upper_units AS high,
            greatest((high - low + 9) // 10, 2) AS tenth
        FROM classes
        LEFT JOIN places AS lower_place ON lower_place.position = classes.this_first
        LEFT JOIN places AS upper_place ON upper_place.position = classes.this_high
    ) AS widths
) AS ends
