-- Answers: rows of the frequency table that lack a code in a quasi-identifier, counted for each of them.
-- Reads: frequency, the frequency table (qi_leaf).
-- Takes: qi_leaf, of each quasi-identifier the column of codes.
-- Gives: qi_leaf.
SELECT count(CASE WHEN qi_leaf IS NULL THEN 1 END) AS qi_leaf
FROM kanon.frequency
