-- Answers: the entities whose rows share a combination of quasi-identifier values, beside their positions.
-- Reads: records, the rows counted by codes and further columns (qi_leaf, entity, row_count).
-- Takes: qi_leaf, of each quasi-identifier the column of its codes, leaves of the hierarchy.
-- Gives: the table holders (qi_leaf, entity, row_count).
CREATE OR REPLACE TEMP TABLE kanon.holders AS
SELECT qi_leaf, entity, CAST(sum(row_count) AS BIGINT) AS row_count
FROM kanon.records
GROUP BY qi_leaf, entity
