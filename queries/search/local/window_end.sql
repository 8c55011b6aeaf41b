-- The loss up to which labels are offered at once, so that they make about so many pairs with tuples; by a sample.
SELECT sampled.cost + above_b.cost AS cost
FROM above_b
JOIN (
    SELECT sample.tuple_b, above_a.cost
    FROM above_a
    JOIN (SELECT tuple_a, tuple_b FROM rest ORDER BY cell LIMIT $sample) AS sample ON sample.tuple_a = above_a.tuple
) AS sampled ON sampled.tuple_b = above_b.tuple
WHERE sampled.cost + above_b.cost >= $low
ORDER BY sampled.cost + above_b.cost
LIMIT 1 OFFSET $skipped
