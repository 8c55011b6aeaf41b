-- Answers: how many pairs each class has, beside its values, where what is counted are pairs of an entity and a value,
-- or of a row and one of its values.
-- Reads: class_counts (the classes' key, value, row_count).
-- Takes: nothing.
-- Gives: the same with size, all pairs of the class.
SELECT class_counts.key_code, class_counts.value, class_counts.row_count, totals.size
FROM class_counts
JOIN (
    SELECT key_code, CAST(sum(row_count) AS BIGINT) AS size
    FROM class_counts
    GROUP BY key_code
) AS totals ON totals.key_code = class_counts.key_code
