-- Answers: one hierarchy: what each node loses that a release may go down to, weighted.
-- Reads: nodes, the nodes of a hierarchy (level, node, cost).
-- Takes: $lowest, the lowest level that a release may use; $units, how many units a loss of 1 has; $weight, the weight
-- of the dimension.
-- Gives: the table costs (level, node, cost).
CREATE OR REPLACE TEMP TABLE costs AS
SELECT level, node, floor(CAST($weight AS DOUBLE) * cost * $units) / $units AS cost
FROM nodes
WHERE level >= $lowest
