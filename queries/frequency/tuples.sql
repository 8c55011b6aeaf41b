-- The frequency table with the codes of every level beside the leaves': a lattice node is a GROUP BY of some of them.
CREATE OR REPLACE TEMP TABLE tuples AS
SELECT
    cell_codes.cell_level AS cell_name,
    row_count
FROM frequency
JOIN qi_codes ON qi_codes.level_0 = frequency.qi_leaf
