-- Answers: the frequency table with the codes of every level beside the leaves': a lattice node is a GROUP BY of some
-- of them.
-- Reads: frequency, the frequency table (qi_leaf); qi_codes, of each quasi-identifier the table of codes (level_0).
-- Takes: cell_codes, of each level of each quasi-identifier its table of codes; cell_level, of each such level its
-- column there; cell_name, of each such level its name here; qi_leaf, of each quasi-identifier the column of its codes,
-- leaves of the hierarchy.
-- Gives: the table tuples (cell_name, row_count).
CREATE OR REPLACE TEMP TABLE kanon.tuples AS
SELECT
    cell_codes.cell_level AS cell_name,
    row_count
FROM kanon.frequency
JOIN qi_codes ON qi_codes.level_0 = frequency.qi_leaf
