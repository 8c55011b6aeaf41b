-- Answers: how many rows of each class hold each sensitive value, and how large it is, where the counts are columns;
-- only of the classes that do not violate yet: whatever else is asked for, the others do.
-- Reads: class_sizes (the classes' key, size, violates, slot_count).
-- Takes: of each value slot_value, itself, and slot_count, the column of its counts.
-- Gives: key_code, value, row_count, size.
SELECT key_code, value, row_count, size
FROM (
    SELECT
        key_code,
        unnest([LIST_OF(CAST(slot_value AS BIGINT))]) AS value,
        unnest([LIST_OF(slot_count)]) AS row_count,
        size
    FROM class_sizes
    WHERE NOT violates
) AS counted
WHERE row_count > 0
