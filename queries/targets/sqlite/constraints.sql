-- Answers: what else than names and types of columns the definition of a table of SQLite says.
-- Reads: sqlite_master, pragma_table_xinfo(), pragma_foreign_key_list() and pragma_index_list(), what SQLite tells.
-- Takes: $name, the table.
-- Gives: rows (kind), in the order of the letters. Words in comments and quoted names are taken for those of clauses.
WITH kinds AS (
    SELECT 'keys' AS kind
    FROM pragma_table_xinfo($name) AS columns
    WHERE columns.pk > 0
    UNION
    SELECT 'keys'
    FROM pragma_index_list($name) AS indexes
    WHERE indexes.origin <> 'c'
    UNION
    SELECT 'keys'
    FROM pragma_foreign_key_list($name)
    UNION
    SELECT 'constraints'
    FROM pragma_table_xinfo($name) AS columns
    WHERE columns."notnull" = 1
    UNION
    SELECT 'constraints'
    FROM sqlite_master
    WHERE type = 'table' AND lower(name) = lower($name) AND upper(sql) GLOB '*[^A-Z_]CHECK[^A-Z_]*'
    UNION
    SELECT 'default values'
    FROM pragma_table_xinfo($name) AS columns
    WHERE columns.dflt_value IS NOT NULL
    UNION
    SELECT 'generated columns'
    FROM pragma_table_xinfo($name) AS columns
    WHERE columns.hidden > 1
    UNION
    SELECT 'collations'
    FROM sqlite_master
    WHERE type = 'table' AND lower(name) = lower($name) AND upper(sql) GLOB '*[^A-Z_]COLLATE[^A-Z_]*'
)

SELECT kind
FROM kinds
ORDER BY kind
