-- Answers: which types have the columns of a table, and which of these list values of rows?
--   ENUMs, types with conditions of their own, and arrays of these do.
-- Reads: pg_attribute, pg_type.
-- Takes: $table, the object number of the table.
-- Gives: name; type, in the words of PostgreSQL; lists_values.
SELECT
    attname AS name,
    format_type(atttypid, atttypmod) AS type,
    own.typtype IN ('e', 'd') OR coalesce(element.typtype IN ('e', 'd'), false) AS lists_values
FROM pg_attribute
JOIN pg_type AS own ON own.oid = atttypid
LEFT JOIN pg_type AS element ON element.oid = own.typelem
WHERE attrelid = $table AND attnum > 0 AND NOT attisdropped
