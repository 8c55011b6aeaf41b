-- Answers: does a view among those that are read call a function of users? Whatever it reads is not among what the
--   view depends on, and is read as whoever reads the view.
-- Reads: pg_class, pg_rewrite, pg_depend.
-- Takes: $numbers, of what `reached` gives.
-- Gives: calls, whether one does.
SELECT EXISTS (
    SELECT 1
    FROM unnest(CAST($numbers AS oid[])) AS reached(number)
    JOIN pg_class AS class ON class.oid = reached.number AND class.relkind = 'v'
    JOIN pg_rewrite AS rule ON rule.ev_class = class.oid
    JOIN pg_depend AS depends ON depends.classid = CAST('pg_rewrite' AS regclass) AND depends.objid = rule.oid
        AND depends.refclassid = CAST('pg_proc' AS regclass)
) AS calls
