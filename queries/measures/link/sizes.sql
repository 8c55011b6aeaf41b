-- Answers: how many rows of one side each node holds.
-- Reads: groups, the distinct rows of one side with their number (node, row_count).
-- Takes: nothing.
-- Gives: the table sizes (node, row_count).
CREATE OR REPLACE TEMP TABLE sizes AS
SELECT node, CAST(sum(row_count) AS BIGINT) AS row_count
FROM groups
GROUP BY node
