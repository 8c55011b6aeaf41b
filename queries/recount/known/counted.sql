-- Answers: how many values each quasi-identifier has.
-- Reads: known_values, the values of all of them: position.
-- Takes: nothing.
-- Gives: position, value_count, in the order of the columns.
SELECT position, count(*) AS value_count
FROM kanon.known_values
GROUP BY position
ORDER BY position
