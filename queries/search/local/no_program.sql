-- Answers: the labels of the program with the tuples below them; none yet but the one that all rows fall under.
-- Reads: prices, the prices of tuples (cell, row_count).
-- Takes: $top, what a row loses under that label.
-- Gives: the table program (label, cell, row_count, cost).
CREATE OR REPLACE TEMP TABLE program AS
SELECT CAST(-1 AS BIGINT) AS label, cell, CAST(row_count AS BIGINT) AS row_count, CAST($top AS DOUBLE) AS cost
FROM prices
