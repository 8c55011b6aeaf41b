-- Answers: the classes, those that violate enhanced beta-likeness too: as violates_enhanced, the counts of values as
-- columns.
-- Reads: classes (the classes' key, size, violates: by what is asked for already, slot_count).
-- Takes: of each value slot_count, the column of its counts, and slot_expected, its rows of all; $total, all rows;
-- $beta.
-- Gives: key_code, size, violates, slot_count.
SELECT
    key_code,
    size,
    violates
    OR ANY_OF(
        CAST(slot_count AS DOUBLE) / size
        / (CAST(slot_expected AS DOUBLE) / $total * (1 + least($beta, -ln(CAST(slot_expected AS DOUBLE) / $total))))
        > 1 + 1e-12
    ) AS violates,
    slot_count
FROM classes
