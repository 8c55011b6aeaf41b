-- Answers: the classes, those that violate t-closeness with equal distances too: as violates_equal, the counts of
-- values as columns.
-- Reads: classes (the classes' key, size, violates: by what is asked for already, slot_count).
-- Takes: of each value slot_count, the column of its counts, and slot_expected, its rows of all; $total, all rows;
-- $numerator and $denominator, t as a ratio.
-- Gives: key_code, size, violates, slot_count.
SELECT
    key_code,
    size,
    violates
    OR SUM_OF(CAST(greatest(slot_count * $total - slot_expected * size, 0) AS HUGEINT)) * $denominator
    > CAST(size AS HUGEINT) * $total * $numerator AS violates,
    slot_count
FROM classes
