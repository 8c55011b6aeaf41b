-- An open release came to its place: what its entry holds from then on.
UPDATE kanon_sql_releases
SET details = $details
WHERE id = $id
