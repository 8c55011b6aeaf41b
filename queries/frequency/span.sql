-- How far the numbers of a dimension lie apart, from the least to the greatest.
SELECT coalesce(max(CAST(bound AS DOUBLE)) - min(CAST(bound AS DOUBLE)), 0.0) AS span
FROM places
WHERE position > 0
