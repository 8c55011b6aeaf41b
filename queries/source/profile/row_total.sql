-- Answers: how many rows there are.
-- Reads: source, the rows.
-- Takes: nothing.
-- Gives: row_total.
SELECT count(*) AS row_total
FROM source
