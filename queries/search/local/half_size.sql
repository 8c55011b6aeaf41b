-- The greatest number of a half label, and the most that one loses.
SELECT max(label) AS label, max(cost) AS cost
FROM half_above
