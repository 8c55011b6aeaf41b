-- Answers: where a text of a column stands that its type does not fit: the first file that holds one, and the first
-- place in it; no row where none is found.
-- Reads: located, where the values of the column stand in its files (file, position, value).
-- Takes: misfit, whether a text does not fit.
-- Gives: file, position.
SELECT located.file, min(located.position) AS position
FROM located
WHERE misfit
GROUP BY located.file
ORDER BY located.file
LIMIT 1
