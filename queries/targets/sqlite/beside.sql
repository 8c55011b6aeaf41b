-- Answers: what a database of SQLite has of the name of a table, and what goes with that table.
-- Reads: sqlite_master, what SQLite tells.
-- Takes: $name, the table.
-- Gives: rows (type, name, sql): table or view, index and trigger; sql is NULL for an index that a constraint made.
SELECT type, name, sql
FROM sqlite_master
WHERE lower(tbl_name) = lower($name)
ORDER BY type, name
