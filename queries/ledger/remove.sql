-- An open release that did not come to its place is none.
DELETE FROM kanon_sql_releases
WHERE id = $id
