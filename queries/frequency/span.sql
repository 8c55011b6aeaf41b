-- Answers: how far the numbers of a dimension lie apart, from the least to the greatest.
-- Reads: places, a row for each position of a dimension (position, bound).
-- Takes: nothing.
-- Gives: span.
SELECT coalesce(max(CAST(bound AS DOUBLE)) - min(CAST(bound AS DOUBLE)), 0.0) AS span
FROM places
WHERE position > 0
