-- Answers: the classes, those that violate delta-disclosure privacy too: as violates, the counts of values as columns.
-- Reads: classes (the classes' key, size, violates: by what is asked for already, slot_count).
-- Takes: of each value slot_count, the column of its counts, and slot_expected, its rows of all; $total, all rows;
-- $delta.
-- Gives: key_code, size, violates, slot_count.
SELECT
    key_code,
    size,
    violates
    OR ANY_OF(
        CASE
            WHEN slot_count = 0 THEN TRUE
            ELSE abs(ln(CAST(slot_count AS DOUBLE) / size / (CAST(slot_expected AS DOUBLE) / $total))) >= $delta
        END
    ) AS violates,
    slot_count
FROM classes
