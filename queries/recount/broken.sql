-- Answers: how many rows hold a value that its column's treatment does not leave, for each of these columns.
-- Reads: written, the rows of a release or of another table.
-- Takes: treated_broken, of each column whether its value is such a one; treated_key, the name of its number.
-- Gives: treated_key.
SELECT count(CASE WHEN treated_broken THEN 1 END) AS treated_key
FROM written
