-- Answers: the classes, those that violate basic beta-likeness too: as violates_basic, the counts of values as columns.
-- Reads: classes (the classes' key, size, violates: by what is asked for already, slot_count).
-- Takes: of each value slot_count, the column of its counts, and slot_expected, its rows of all; $total, all rows;
-- $numerator and $denominator, beta as a ratio.
-- Gives: key_code, size, violates, slot_count.
SELECT
    key_code,
    size,
    violates
    OR ANY_OF(
        CAST(slot_count AS HUGEINT) * $total * $denominator
        > CAST(slot_expected AS HUGEINT) * size * ($denominator + $numerator)
    ) AS violates,
    slot_count
FROM classes
