-- The linking values of some persons that match exactly one row: for users who asked to be shown values.
SELECT groups.cell_text
FROM groups
JOIN counts ON counts.node = groups.node
WHERE counts.matches = 1
ORDER BY groups.cell_text
LIMIT 10
