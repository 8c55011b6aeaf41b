-- Answers: whether a database file holds a ledger, or other tables.
-- Reads: duckdb_tables(), what the engine tells.
-- Takes: nothing.
-- Gives: ledgers, tables.
SELECT
    count(CASE WHEN table_name = 'kanon_sql_releases' AND schema_name = 'main' THEN 1 END) AS ledgers,
    count(*) AS tables
FROM duckdb_tables()
WHERE NOT internal
