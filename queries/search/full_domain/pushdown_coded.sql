-- Answers: which codes have the distinct combinations that stay in the engine that holds the rows? A lattice node is
--   a GROUP BY of some of them.
-- Reads: source, the combinations (qi_key, row_count); for each quasi-identifier its mapping (value, a code a level).
-- Takes: cell, for each level of each quasi-identifier the code (cell_value) and its name (cell_name); qi, for each
--   quasi-identifier its mapping (qi_mapping) and key (qi_key).
-- Gives: the codes under their names, and row_count.
SELECT
    cell_value AS cell_name,
    source.row_count AS row_count
FROM source
LEFT JOIN qi_mapping ON qi_mapping.value = source.qi_key
