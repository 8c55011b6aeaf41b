-- The same with the size of each class beside its values.
SELECT class_counts.key_code, class_counts.value, class_counts.row_count, totals.size
FROM class_counts
JOIN (
    SELECT key_code, CAST(sum(row_count) AS BIGINT) AS size
    FROM class_counts
    GROUP BY key_code
) AS totals ON totals.key_code = class_counts.key_code
