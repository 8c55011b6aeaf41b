-- Answers: how many values of a column the rows of the source hold, a missing one not counted.
-- Reads: frequency, the distinct tuples of the source (this_position, row_count).
-- Takes: this_position, the column of positions; missing_position, that of missing values.
-- Gives: the number.
SELECT count(DISTINCT this_position)
FROM kanon.frequency
WHERE row_count > 0 AND this_position <> missing_position
