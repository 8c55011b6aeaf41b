-- Answers: the least and the greatest number of a column of the source.
-- Reads: ranks, the domain of one column rank by rank (number).
-- Takes: nothing.
-- Gives: lowest, highest.
SELECT min(number) AS lowest, max(number) AS highest
FROM ranks
