-- Answers: in which of the tables that are read do policies of row-level security hide rows?
--   As PostgreSQL decides it: not from superusers, those who bypass policies, and owners but by force.
-- Reads: pg_class, pg_roles.
-- Takes: $numbers and $readers, of what `reached` gives.
-- Gives: name of each such table, as statements name it.
SELECT DISTINCT CAST(CAST(class.oid AS regclass) AS TEXT) AS name
FROM unnest(CAST($numbers AS oid[]), CAST($readers AS oid[])) AS reached(number, reader)
JOIN pg_class AS class ON class.oid = reached.number
JOIN pg_roles AS role ON role.oid = reached.reader
WHERE class.relrowsecurity AND NOT role.rolsuper AND NOT role.rolbypassrls
    AND (class.relforcerowsecurity OR NOT pg_has_role(reached.reader, class.relowner, 'USAGE'))
ORDER BY 1
