-- Answers: of how many pairs of a person and a fact a generalization is released, and what they lose together.
-- Reads: kept_leaves, these pairs (person, leaf, loss).
-- Takes: nothing.
-- Gives: one row (pairs, loss in millionths).
SELECT count(*) AS pairs, coalesce(CAST(sum(loss) AS BIGINT), 0) AS loss
FROM kept_leaves
