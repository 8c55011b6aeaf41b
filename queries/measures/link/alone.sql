-- Answers: the smallest equivalence class of one release alone.
-- Reads: groups, the distinct rows of one side with their number (qi_text, row_count).
-- Takes: qi_text, of each quasi-identifier the column of texts.
-- Gives: smallest.
SELECT CAST(coalesce(min(row_count), 0) AS BIGINT) AS smallest
FROM (
    SELECT sum(row_count) AS row_count
    FROM groups
    GROUP BY qi_text
) AS classes
