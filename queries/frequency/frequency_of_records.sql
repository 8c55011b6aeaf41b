-- Answers: the frequency table of rows that were counted with further columns.
-- Reads: records, the rows counted by codes and further columns (qi_leaf, row_count).
-- Takes: qi_leaf, of each quasi-identifier the column of its codes, leaves of the hierarchy.
-- Gives: the table frequency (qi_leaf, row_count).
CREATE OR REPLACE TEMP TABLE kanon.frequency AS
SELECT qi_leaf, CAST(sum(row_count) AS BIGINT) AS row_count
FROM kanon.records
GROUP BY qi_leaf
