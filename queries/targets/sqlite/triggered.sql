-- Answers: which tables and views of a database of SQLite but one have triggers, and their columns.
-- Reads: sqlite_master and pragma_table_info(), what SQLite tells.
-- Takes: $name, the table that does not count.
-- Gives: rows (tbl_name, name), a row a column that can be written.
SELECT DISTINCT triggers.tbl_name, columns.name
FROM sqlite_master AS triggers
CROSS JOIN pragma_table_info(triggers.tbl_name) AS columns
WHERE triggers.type = 'trigger' AND lower(triggers.tbl_name) <> lower($name)
ORDER BY triggers.tbl_name, columns.cid
