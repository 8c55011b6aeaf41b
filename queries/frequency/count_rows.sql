-- Answers: rows of the source, and those of them that take part (without the rows that the policy on missing values
-- drops).
-- Reads: source, the rows of the source.
-- Takes: nothing.
-- Gives: source_rows, participants.
SELECT
    CAST(count(*) AS BIGINT) AS source_rows,
    CAST(coalesce(sum(CASE WHEN takes_part THEN 1 ELSE 0 END), 0) AS BIGINT) AS participants
FROM source
