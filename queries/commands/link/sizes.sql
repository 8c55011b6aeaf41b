-- How many rows of one side each node holds.
CREATE OR REPLACE TEMP TABLE sizes AS
SELECT node, CAST(sum(row_count) AS BIGINT) AS row_count
FROM groups
GROUP BY node
