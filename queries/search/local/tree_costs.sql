-- One hierarchy: what each node loses that a release may go down to, weighted.
CREATE OR REPLACE TEMP TABLE costs AS
SELECT level, node, CAST($weight AS DOUBLE) * cost AS cost
FROM nodes
WHERE level >= $lowest
