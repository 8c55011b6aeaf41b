-- Answers: every row by itself, with its class at the chosen levels and its combination of quasi-identifiers.
-- Reads: records, the rows counted by codes (qi_leaf, value_code, row_count); qi_codes, of each quasi-identifier the
-- table of codes (level_0); key_codes, of each that tells classes apart the same table (key_level);
-- suppressed_classes, the classes that are not released, by their codes (key_code, is_suppressed).
-- Takes: qi_leaf, of each quasi-identifier the column of its codes, leaves of the hierarchy; value_code, of each
-- sensitive column that of its codes; key_level, of each quasi-identifier that tells classes apart the column of the
-- codes at its level; key_code, the name of that in suppressed_classes.
-- Gives: the table persons (person, class, cell, is_released, qi_leaf, value_code), numbered in the order of codes.
CREATE OR REPLACE TEMP TABLE persons AS
SELECT
    row_number() OVER (ORDER BY cell, held, copy) AS person,
    dense_rank() OVER (ORDER BY class) AS class,
    dense_rank() OVER (ORDER BY cell) AS cell,
    is_released,
    qi_leaf,
    value_code
FROM (
    SELECT
        records.qi_leaf,
        records.value_code,
        [LIST_OF(records.qi_leaf)] AS cell,
        [LIST_OF(records.value_code)] AS held,
        [LIST_OF(key_codes.key_level)] AS class,
        suppressed_classes.is_suppressed IS NULL AS is_released,
        unnest(range(records.row_count)) AS copy
    FROM records
    JOIN qi_codes ON qi_codes.level_0 = records.qi_leaf
    LEFT JOIN suppressed_classes ON ALL_OF(suppressed_classes.key_code = key_codes.key_level)
) AS single
