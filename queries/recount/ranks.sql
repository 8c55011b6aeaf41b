-- The place of each value in the order, missing ones first.
SELECT DISTINCT CASE WHEN position > 0 THEN CAST(value AS VARCHAR) END AS value, position AS rank
FROM domain
