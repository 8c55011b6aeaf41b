-- Answers: the classes of the new data where another engine holds it.
-- Reads: counts, how often each row is in each release (class_key, row_count, release).
-- Takes: nothing.
-- Gives: class_key, row_count.
SELECT class_key, CAST(sum(row_count) AS BIGINT) AS row_count
FROM counts
WHERE release = 0
GROUP BY class_key
