-- Answers: which views, foreign keys and tables elsewhere hang on tables that will be replaced?
-- Reads: pg_depend, pg_rewrite, pg_class, pg_constraint, pg_inherits.
-- Takes: $tables, the object numbers of the tables.
-- Gives: kind, what it is and its name, as a message names it; in their order.
SELECT DISTINCT
    CASE class.relkind WHEN 'm' THEN 'materialized view ' ELSE 'view ' END
        || CAST(CAST(class.oid AS regclass) AS TEXT) AS kind
FROM pg_depend AS depends
JOIN pg_rewrite AS rule ON depends.classid = CAST('pg_rewrite' AS regclass) AND rule.oid = depends.objid
JOIN pg_class AS class ON class.oid = rule.ev_class
WHERE depends.refclassid = CAST('pg_class' AS regclass) AND depends.refobjid = ANY($tables)
    AND NOT class.oid = ANY($tables)
UNION ALL
SELECT DISTINCT 'foreign key of ' || CAST(CAST(conrelid AS regclass) AS TEXT)
FROM pg_constraint
WHERE contype = 'f' AND confrelid = ANY($tables) AND NOT conrelid = ANY($tables)
UNION ALL
SELECT 'table ' || CAST(CAST(inhrelid AS regclass) AS TEXT)
FROM pg_inherits
JOIN pg_class AS class ON class.oid = inhrelid
WHERE inhparent = ANY($tables) AND NOT inhrelid = ANY($tables) AND NOT class.relispartition
ORDER BY 1
