-- The frequency table of rows that were counted with further columns.
CREATE OR REPLACE TEMP TABLE frequency AS
SELECT qi_leaf, CAST(sum(row_count) AS BIGINT) AS row_count
FROM records
GROUP BY qi_leaf
