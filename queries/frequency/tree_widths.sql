-- Answers: the most children that a node of each level's parent level has.
-- Reads: paths, the way to each leaf of a hierarchy (step_ordinal).
-- Takes: step_ordinal, of each level the column of a node's number below its parent.
-- Gives: step_ordinal.
SELECT max(step_ordinal) AS step_ordinal
FROM kanon.paths
