-- Answers: what every value of a hierarchy becomes at its top.
-- Reads: mapping, a quasi-identifier's mapping table.
-- Takes: label_top, the column of the highest labels.
-- Gives: label as text.
SELECT CAST(max(label_top) AS VARCHAR) AS label
FROM mapping
