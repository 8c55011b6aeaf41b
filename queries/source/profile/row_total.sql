-- Answers: how many rows there are.
-- Reads: source, the rows (what row_weight reads).
-- Takes: row_weight, how many rows a row stands for.
-- Gives: row_total.
SELECT CAST(coalesce(sum(row_weight), 0) AS BIGINT) AS row_total
FROM source
