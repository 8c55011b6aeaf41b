-- Answers: who reads, where, and what may be made there at all?
-- Reads: nothing but the session.
-- Takes: nothing.
-- Gives: standby, whether the server is only read; read_only, whether transactions are; makes_temporary, whether
--   temporary tables may be made; makes_schemas, whether schemas may; role and database, their names.
SELECT
    pg_is_in_recovery() AS standby,
    CAST(current_setting('transaction_read_only') AS BOOLEAN) AS read_only,
    has_database_privilege(current_database(), 'TEMP') AS makes_temporary,
    has_database_privilege(current_database(), 'CREATE') AS makes_schemas,
    current_user AS role,
    current_database() AS database
