-- Answers: how many of those who are looked for have a column guessed rightly: from the nearest classes, and by the
-- most frequent value of the whole release.
-- Reads: attack_targets, the rows that an adversary looks for (target, is_control, this_rank); groups, what has to be
-- guessed (rank, secret); pools, the nearest classes of everybody (target, pool); guesses, what is guessed from these
-- (pool, secret, chance); told, what the rows of each class tell (secret, row_count).
-- Takes: this_rank, the column of ranks.
-- Gives: is_control, asked, guessed, by_frequency.
SELECT
    attack_targets.is_control,
    count(*) AS asked,
    CAST(sum(coalesce(guesses.chance, 0)) AS DOUBLE) AS guessed,
    CAST(sum(coalesce(common.chance, 0)) AS DOUBLE) AS by_frequency
FROM kanon.attack_targets
JOIN groups ON groups.rank = attack_targets.this_rank
JOIN pools ON pools.target = attack_targets.target
LEFT JOIN guesses ON guesses.pool = pools.pool AND guesses.secret = groups.secret
LEFT JOIN (
    SELECT secret, 1.0 / count(*) OVER () AS chance
    FROM (
        SELECT secret, row_count, max(row_count) OVER () AS most
        FROM (SELECT secret, sum(row_count) AS row_count FROM told GROUP BY secret) AS counted
    ) AS ranked
    WHERE row_count = most
) AS common ON common.secret = groups.secret
GROUP BY attack_targets.is_control
