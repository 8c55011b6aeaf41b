-- Rows of the frequency table that lack a code in a quasi-identifier, counted for each of them.
SELECT count(CASE WHEN qi_leaf IS NULL THEN 1 END) AS qi_leaf
FROM frequency
