-- Answers: how many rows repeat another one, as a digest of the whole row tells.
-- Reads: source, the rows of the source (what row_digest reads).
-- Takes: row_digest, a digest of all columns.
-- Gives: duplicates.
SELECT count(*) - count(DISTINCT row_digest) AS duplicates
FROM source
