-- The most children that a node of each level's parent level has.
SELECT max(step_ordinal) AS step_ordinal
FROM paths
