-- Answers: an open release came to its place: what its entry holds from then on.
-- Reads: kanon_sql_releases, the ledger.
-- Takes: $details, what else is known, as JSON; $id, the number of the release.
-- Gives: the table kanon_sql_releases with changed rows.
UPDATE kanon_sql_releases
SET details = $details
WHERE id = $id
