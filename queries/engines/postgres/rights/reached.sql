-- Answers: which tables and views are read with a table or view, and with whose rights?
--   A view is read with the rights of its owner or, where it says so, of whoever reads it.
-- Reads: pg_class, pg_rewrite, pg_depend, pg_options_to_table.
-- Takes: $table, the object number of the table or view.
-- Gives: number, the object number of each; reader, that of the role with whose rights it is read.
WITH RECURSIVE reached(number, reader) AS (
    SELECT CAST($table AS oid), CAST(CAST(current_user AS regrole) AS oid)
    UNION
    SELECT
        depends.refobjid,
        CASE WHEN EXISTS (
            SELECT 1 FROM pg_options_to_table(class.reloptions)
            WHERE option_name = 'security_invoker' AND CAST(option_value AS BOOLEAN)
        ) THEN reached.reader ELSE class.relowner END
    FROM reached
    JOIN pg_class AS class ON class.oid = reached.number AND class.relkind = 'v'
    JOIN pg_rewrite AS rule ON rule.ev_class = class.oid
    JOIN pg_depend AS depends ON depends.classid = CAST('pg_rewrite' AS regclass) AND depends.objid = rule.oid
        AND depends.refclassid = CAST('pg_class' AS regclass) AND depends.refobjid <> class.oid
)
SELECT number, reader FROM reached
