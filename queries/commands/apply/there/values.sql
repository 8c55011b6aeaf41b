-- Answers: the different values of a column of all releases where another engine holds them.
-- Reads: all_rows, the rows (what cell_value reads).
-- Takes: cell_value, the value.
-- Gives: value.
SELECT cell_value AS value
FROM all_rows
GROUP BY cell_value
