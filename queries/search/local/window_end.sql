-- Answers: the loss up to which labels are offered at once, so that they make about so many pairs with tuples; by a
-- sample.
-- Reads: above_b and above_a, each the half labels of one half above each half tuple (cost, tuple); rest, the tuples
-- without a class (tuple_a, tuple_b, cell).
-- Takes: $low, the loss from which labels are offered; $most, above what is looked for; $sample, how many tuples the
-- sample has; $skipped, how many pairs come before.
-- Gives: cost.
SELECT sampled.cost + above_b.cost AS cost
FROM (SELECT tuple, cost FROM above_b WHERE cost < $most) AS above_b
JOIN (
    SELECT sample.tuple_b, above_a.cost
    FROM (SELECT tuple, cost FROM above_a WHERE cost < $most) AS above_a
    JOIN (SELECT tuple_a, tuple_b FROM rest ORDER BY cell LIMIT $sample) AS sample ON sample.tuple_a = above_a.tuple
) AS sampled ON sampled.tuple_b = above_b.tuple
WHERE sampled.cost + above_b.cost >= $low AND sampled.cost + above_b.cost < $most
ORDER BY sampled.cost + above_b.cost
LIMIT 1 OFFSET $skipped
