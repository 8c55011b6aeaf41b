-- Answers: how many values that stand in the files of a lake are no part of a name or a definition in it.
-- Reads: hits, the values; duckdb_columns(), duckdb_tables(), duckdb_views(), what the engine tells.
-- Takes: $lake, the name under which the lake is attached.
-- Gives: one row (hits).
WITH definitions AS (
    SELECT concat_ws(' ', schema_name, table_name, column_name, comment) AS definition
    FROM duckdb_columns()
    WHERE database_name = $lake
    UNION ALL
    SELECT concat_ws(' ', sql, comment) AS definition FROM duckdb_tables() WHERE database_name = $lake
    UNION ALL
    SELECT concat_ws(' ', view_name, sql, comment) AS definition FROM duckdb_views() WHERE database_name = $lake
)

SELECT count(*) AS hits
FROM hits
WHERE NOT EXISTS (SELECT 1 FROM definitions WHERE contains(definitions.definition, hits.value))
