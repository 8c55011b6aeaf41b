-- Answers: how many persons have a set of facts that fewer than k persons of their class have, and how many one that
-- nobody else has.
-- Reads: sets, the sets of facts of each person (person, class, members).
-- Takes: $k.
-- Gives: one row (below_k, alone).
SELECT count(DISTINCT person) AS below_k, count(DISTINCT CASE WHEN persons = 1 THEN person END) AS alone
FROM (
    SELECT person, count(*) OVER (PARTITION BY class, members) AS persons
    FROM sets
) AS counted
WHERE persons < $k
