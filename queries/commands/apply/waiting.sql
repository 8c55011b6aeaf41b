-- Answers: the classes of which not all rows are released, and the release that these are held against; -1 where none
-- of their rows is released.
-- Reads: counts, the classes, numbered (class_key, cell); quotas, how many rows of each are released (attempt, cell).
-- Takes: $earlier, how many earlier releases there are; the attempts go from the latest to the first.
-- Gives: class_key, held_by.
SELECT counts.class_key, CASE WHEN quotas.attempt IS NULL THEN -1 ELSE $earlier + 1 - quotas.attempt END AS held_by
FROM counts
LEFT JOIN quotas ON quotas.cell = counts.cell
WHERE quotas.attempt IS NULL OR quotas.attempt > 0
