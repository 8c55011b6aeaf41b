-- Answers: the linking values of some persons that match exactly one row: for users who asked to be shown values.
-- Reads: groups, the distinct rows of one side with their number (cell_text, node); counts, how often rows of one side
-- match (node, matches).
-- Takes: cell_text, of each column its text.
-- Gives: cell_text.
SELECT groups.cell_text
FROM groups
JOIN counts ON counts.node = groups.node
WHERE counts.matches = 1
ORDER BY groups.cell_text
LIMIT 10
