-- Answers: what does a table have that a new one of its name has not, and that its role gives it in words of its own?
-- Reads: pg_trigger, pg_policy, pg_rewrite, pg_class, pg_attribute, pg_inherits, pg_statistic_ext, pg_index,
--   pg_constraint.
-- Takes: $table, the object number of the table.
-- Gives: kind of each such thing, as a message names it.
SELECT 'triggers' AS kind WHERE EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = $table AND NOT tgisinternal)
UNION ALL
SELECT 'policies of row-level security' WHERE EXISTS (SELECT 1 FROM pg_policy WHERE polrelid = $table)
UNION ALL
SELECT 'rules' WHERE EXISTS (SELECT 1 FROM pg_rewrite WHERE ev_class = $table)
UNION ALL
SELECT 'rights of other roles'
WHERE EXISTS (SELECT 1 FROM pg_class WHERE oid = $table AND relacl IS NOT NULL)
    OR EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = $table AND attacl IS NOT NULL)
UNION ALL
SELECT 'its owner'
WHERE EXISTS (SELECT 1 FROM pg_class WHERE oid = $table AND pg_get_userbyid(relowner) <> current_user)
UNION ALL
SELECT 'partitions' WHERE EXISTS (SELECT 1 FROM pg_class WHERE oid = $table AND relkind = 'p')
UNION ALL
SELECT 'inheritance' WHERE EXISTS (SELECT 1 FROM pg_inherits WHERE inhrelid = $table)
UNION ALL
SELECT 'statistics ''' || stxname || '''' FROM pg_statistic_ext WHERE stxrelid = $table
UNION ALL
SELECT 'the comment of index ''' || CAST(CAST(indexrelid AS regclass) AS TEXT) || ''''
FROM pg_index
WHERE indrelid = $table AND obj_description(indexrelid, 'pg_class') IS NOT NULL
UNION ALL
SELECT 'the comment of constraint ''' || conname || ''''
FROM pg_constraint
WHERE conrelid = $table AND obj_description(oid, 'pg_constraint') IS NOT NULL
