-- Answers: the equivalence classes of nodes at every level of one more quasi-identifier, from those at its leaves.
-- Reads: rolled, the classes of nodes (key, cost, size); steps, what the levels above the leaves change (code,
-- key_step, cost_step).
-- Takes: first_key and end_key, the keys between which rolled is read; shift and code_bits, where the code of the
-- quasi-identifier stands in a key; has_leaves, whether the nodes at the leaves are wanted, too.
-- Gives: key, cost, size.
SELECT rolled.key, rolled.cost, rolled.size
FROM rolled
WHERE has_leaves AND rolled.key >= first_key AND rolled.key < end_key
UNION ALL
SELECT
    raised.key,
    any_value(raised.cost) AS cost,
    CAST(sum(raised.size) AS BIGINT) AS size
FROM (
    SELECT
        rolled.key + steps.key_step AS key,
        rolled.cost + steps.cost_step AS cost,
        rolled.size
    FROM rolled
    JOIN steps ON steps.code = ((rolled.key >> shift) & code_bits)
    WHERE rolled.key >= first_key AND rolled.key < end_key
) AS raised
GROUP BY raised.key
