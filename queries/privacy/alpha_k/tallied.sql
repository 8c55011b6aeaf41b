-- Answers: the classes, those that violate (alpha, k)-anonymity too: as violates, the counts of values as columns.
-- Reads: classes (the classes' key, size, violates: by what is asked for already, slot_count).
-- Takes: of each value slot_count, the column of its counts; $numerator and $denominator, alpha as a ratio.
-- Gives: key_code, size, violates, slot_count.
SELECT
    key_code,
    size,
    violates
    OR ANY_OF(slot_count * CAST($denominator AS HUGEINT) > CAST(size AS HUGEINT) * $numerator) AS violates,
    slot_count
FROM classes
