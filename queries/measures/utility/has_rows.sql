-- Answers: whether one side has any row.
-- Reads: source, the rows of one side.
-- Takes: nothing.
-- Gives: has_rows.
SELECT count(*) > 0 AS has_rows
FROM source
