-- Answers: some combined tuples that stand for fewer than k rows: for users who asked to be shown values.
-- Reads: tuples, the combined tuples with their rows (tuple, row_count); combined, the pairs of tuples of both releases
-- with the values that both leave open (qi_said, tuple).
-- Takes: qi_said, of each quasi-identifier the value that both leave open; $k, the fewest rows of a class.
-- Gives: row_count, qi_said.
SELECT any_value(tuples.row_count) AS row_count, min(combined.qi_said)
FROM kanon.tuples
JOIN kanon.combined ON combined.tuple = tuples.tuple
WHERE tuples.row_count < $k
GROUP BY tuples.tuple
ORDER BY tuples.tuple
LIMIT 10
