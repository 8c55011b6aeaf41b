-- Answers: before a column is looked at everybody may be in every class.
-- Reads: attack_targets, the rows that an adversary looks for (target).
-- Takes: nothing.
-- Gives: the table pairs (target, node).
CREATE OR REPLACE TEMP TABLE pairs AS
SELECT target, 0 AS node
FROM kanon.attack_targets
