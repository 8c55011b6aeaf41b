-- Answers: which other tables of a database of SQLite have a foreign key to a table.
-- Reads: sqlite_master and pragma_foreign_key_list(), what SQLite tells.
-- Takes: $name, the table.
-- Gives: rows (name).
SELECT DISTINCT tables.name
FROM sqlite_master AS tables
CROSS JOIN pragma_foreign_key_list(tables.name) AS keys
WHERE tables.type = 'table' AND lower(keys."table") = lower($name) AND lower(tables.name) <> lower($name)
ORDER BY tables.name
