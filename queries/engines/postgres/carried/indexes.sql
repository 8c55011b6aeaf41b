-- Answers: which indexes does a table have that no constraint brings along?
-- Reads: pg_index, pg_class, pg_constraint.
-- Takes: $table, the object number of the table.
-- Gives: name; definition, the statement that makes it.
SELECT class.relname AS name, pg_get_indexdef(indexed.indexrelid) AS definition
FROM pg_index AS indexed
JOIN pg_class AS class ON class.oid = indexed.indexrelid
WHERE indexed.indrelid = $table
    AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexed.indexrelid AND contype IN ('p', 'u', 'x'))
ORDER BY class.relname
