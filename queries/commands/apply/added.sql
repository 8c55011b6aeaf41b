-- The rows that an earlier release does not hold.
SELECT cell_fresh AS cell_name
FROM written
EXCEPT ALL
SELECT cell_past AS cell_name
FROM earlier
