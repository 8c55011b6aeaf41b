-- Answers: of every column how many values have each mark.
-- Reads: marked, the values with their marks (position, and a truth value for each mark).
-- Takes: nothing.
-- Gives: position, and the count of each mark.
SELECT position, count(CASE WHEN COLUMNS(* EXCLUDE (position)) THEN 1 END)
FROM marked
GROUP BY position
