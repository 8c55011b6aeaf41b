-- Answers: the entities whose rows share a combination of quasi-identifier values, beside the codes of every level.
-- Reads: qi_codes, of each quasi-identifier the table of codes (level_0); records, the rows counted by codes and
-- further columns (qi_leaf, entity, row_count).
-- Takes: cell_codes, of each level of each quasi-identifier its table of codes; cell_level, of each such level its
-- column there; cell_name, of each such level its name here; qi_leaf, of each quasi-identifier the column of its codes,
-- leaves of the hierarchy.
-- Gives: the table holders (cell_name, entity, row_count).
CREATE OR REPLACE TEMP TABLE kanon.holders AS
SELECT cell_codes.cell_level AS cell_name, counted.entity, counted.row_count
FROM (
    SELECT qi_leaf, entity, CAST(sum(row_count) AS BIGINT) AS row_count
    FROM kanon.records
    GROUP BY qi_leaf, entity
) AS counted
JOIN qi_codes ON qi_codes.level_0 = counted.qi_leaf
