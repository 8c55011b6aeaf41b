-- Partitions without an allowable cut, and new ones that are too small to be cut again, are finished.
INSERT INTO assigned
SELECT part, this_position, row_count
FROM next_tuples
WHERE NOT EXISTS (SELECT 1 FROM partitions WHERE partitions.part = next_tuples.part)
