-- Answers: the place of each value in the order, missing ones first.
-- Reads: domain, the values of a column with their codes: value, position, which counts from 1 in their order and is 0
-- for a missing value.
-- Takes: value_text, the text by which a value is told from others.
-- Gives: value, rank.
SELECT DISTINCT CASE WHEN position > 0 THEN value_text END AS value, position AS rank
FROM domain
