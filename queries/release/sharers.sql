-- Answers: whether classes share tuples.
-- Reads: shares (see shares).
-- Takes: nothing.
-- Gives: is_shared.
SELECT coalesce(max(sharers), 0) > 1 AS is_shared
FROM kanon.shares
