-- The smallest equivalence class of one release alone.
SELECT CAST(coalesce(min(row_count), 0) AS BIGINT) AS smallest
FROM (
    SELECT sum(row_count) AS row_count
    FROM groups
    GROUP BY qi_text
) AS classes
