-- Answers: how many rows has each tuple of codes, whatever sensitive values they have?
-- Reads: records, the rows counted by codes and further columns (cell_name, row_count).
-- Takes: cell_name, the codes of every level of each quasi-identifier.
-- Gives: the codes under their names, and row_count.
SELECT cell_name, CAST(sum(row_count) AS BIGINT) AS row_count
FROM kanon.records
GROUP BY cell_name
