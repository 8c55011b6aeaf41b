-- Answers: which tables and views a database of SQLite has.
-- Reads: sqlite_master, what SQLite tells.
-- Takes: nothing.
-- Gives: rows (type, name, sql), without tables of SQLite itself.
SELECT type, name, sql
FROM sqlite_master
WHERE type IN ('table', 'view') AND substr(name, 1, 7) <> 'sqlite_'
ORDER BY type, name
