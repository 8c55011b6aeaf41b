-- Answers: what goes by a name in a database of SQLite.
-- Reads: sqlite_master, what SQLite tells.
-- Takes: $name.
-- Gives: one row (type, sql), table, view or index, or none; triggers have names of their own.
SELECT type, sql
FROM sqlite_master
WHERE type <> 'trigger' AND lower(name) = lower($name)
