-- Answers: the classes, those that violate distinct l-diversity too: as violates_distinct, the counts of values as
-- columns.
-- Reads: classes (the classes' key, size, violates: by what is asked for already, slot_count).
-- Takes: of each value slot_count, the column of its counts, and slot_value, itself; $l.
-- Gives: key_code, size, violates, slot_count.
SELECT
    key_code,
    size,
    violates
    OR SUM_OF(CASE WHEN slot_value > 0 AND slot_count > 0 THEN 1 ELSE 0 END) < $l AS violates,
    slot_count
FROM classes
