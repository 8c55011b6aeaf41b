-- Whether classes share tuples.
SELECT coalesce(max(sharers), 0) > 1 AS is_shared
FROM shares
