-- Distinct combinations in the engine that holds the rows, by the codes of every level of their values: a lattice node
-- is a GROUP BY of some of them.
SELECT
    cell_value AS cell_name,
    source.row_count AS row_count
FROM source
LEFT JOIN qi_mapping ON qi_mapping.value = source.qi_key
