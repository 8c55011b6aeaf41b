-- Answers: may this role replace a table, and would it see all rows that are lost?
-- Reads: pg_class, pg_namespace.
-- Takes: $table, the object number of the table.
-- Gives: replaces, whether the role is the owner of the table or of its schema; owner; hides_rows, whether policies of
--   row-level security bear on the role.
SELECT
    pg_has_role(class.relowner, 'USAGE') OR pg_has_role(namespace.nspowner, 'USAGE') AS replaces,
    pg_get_userbyid(class.relowner) AS owner,
    row_security_active(class.oid) AS hides_rows
FROM pg_class AS class
JOIN pg_namespace AS namespace ON namespace.oid = class.relnamespace
WHERE class.oid = $table
