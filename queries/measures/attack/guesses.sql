-- Answers: what an adversary guesses from the nearest classes: the most frequent value, of several that are as frequent
-- any.
-- Reads: pools, those whose nearest classes are the same (target, pool); near, the nearest classes of everybody
-- (target, node); told, what the rows of each class tell (node, secret, row_count).
-- Takes: nothing.
-- Gives: the table guesses (pool, secret, chance).
CREATE OR REPLACE TEMP TABLE guesses AS
SELECT pool, secret, 1.0 / count(*) OVER (PARTITION BY pool) AS chance
FROM (
    SELECT pool, secret, row_count, max(row_count) OVER (PARTITION BY pool) AS most
    FROM (
        SELECT pooled.pool, told.secret, sum(told.row_count) AS row_count
        FROM (
            SELECT DISTINCT pools.pool, near.node
            FROM pools
            JOIN near ON near.target = pools.target
        ) AS pooled
        JOIN told ON told.node = pooled.node
        GROUP BY pooled.pool, told.secret
    ) AS counted
) AS ranked
WHERE row_count = most
