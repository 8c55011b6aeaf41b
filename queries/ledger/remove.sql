-- Answers: an open release that did not come to its place is none.
-- Reads: kanon_sql_releases, the ledger.
-- Takes: $id, the number of the release.
-- Gives: the table kanon_sql_releases without these rows.
DELETE FROM kanon_sql_releases
WHERE id = $id
