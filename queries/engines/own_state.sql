-- Answers: what did the program make in a connection that was handed in? Tables come before the types that they use.
-- Reads: nothing but the catalogue.
-- Takes: $prefix, with which the names of the program's own temporary tables, views and types begin.
-- Gives: kind, a word of DROP, and name, in the order in which they are dropped.
SELECT kind, name
FROM (
    SELECT 1 AS step, 'TABLE' AS kind, table_name AS name FROM duckdb_tables() WHERE temporary
    UNION ALL
    SELECT 2 AS step, 'VIEW' AS kind, view_name AS name FROM duckdb_views() WHERE temporary AND NOT internal
    UNION ALL
    SELECT 3 AS step, 'TYPE' AS kind, type_name AS name FROM duckdb_types() WHERE database_name = 'temp' AND NOT internal
) AS own
WHERE starts_with(name, $prefix)
ORDER BY step, name
