-- Answers: whose nearest classes are the same: they are called by a hash of these.
-- Reads: near, the nearest classes of everybody (target, node).
-- Takes: nothing.
-- Gives: the table pools (target, pool).
CREATE OR REPLACE TEMP TABLE pools AS
SELECT target, hash(list(node ORDER BY node)) AS pool
FROM near
GROUP BY target
