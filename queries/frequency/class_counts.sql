-- Answers: how many rows of each equivalence class hold each sensitive value. Value 0 is the missing one.
-- Reads: sensitive, a sensitive column beside the codes (key_code, value, row_count).
-- Takes: nothing.
-- Gives: key_code, value, row_count.
SELECT key_code, value, CAST(sum(row_count) AS BIGINT) AS row_count
FROM sensitive
GROUP BY key_code, value
