-- The rows that two releases have in common.
SELECT cell_fresh AS cell_name
FROM written
INTERSECT ALL
SELECT cell_past AS cell_name
FROM earlier
