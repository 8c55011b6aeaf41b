-- Answers: which columns of a table may this role read?
-- Reads: pg_attribute.
-- Takes: $table, the object number of the table.
-- Gives: name; readable, whether it may be read; in the order of the table.
SELECT attname AS name, has_column_privilege(attrelid, attnum, 'SELECT') AS readable
FROM pg_attribute
WHERE attrelid = $table AND attnum > 0 AND NOT attisdropped
ORDER BY attnum
