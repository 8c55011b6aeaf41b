-- Answers: what is a type called that is not among those that every database has?
-- Reads: pg_type.
-- Takes: $code, its object number.
-- Gives: name; is_enum, whether it lists its values.
SELECT format_type(oid, NULL) AS name, typtype = 'e' AS is_enum
FROM pg_type
WHERE oid = $code
