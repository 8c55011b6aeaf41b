-- Answers: of which facts, as they are, a released row tells a generalization.
-- Reads: kept_leaves, the facts of which a generalization is kept (person, leaf, loss); untold_leaves, those that no
-- released row would tell (person, leaf).
-- Takes: nothing.
-- Gives: the table remaining (person, leaf, loss).
CREATE OR REPLACE TEMP TABLE remaining AS
SELECT kept_leaves.person, kept_leaves.leaf, kept_leaves.loss
FROM kept_leaves
ANTI JOIN untold_leaves
    ON untold_leaves.person = kept_leaves.person AND untold_leaves.leaf = kept_leaves.leaf
