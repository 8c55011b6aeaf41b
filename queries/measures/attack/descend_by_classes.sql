-- Answers: the beginnings of classes, longer by one column, whose labels stand for those who are looked for.
-- Reads: wanted, the longer beginnings of those that match so far (target, node, code); attack_targets, the rows that
-- an adversary looks for (target, this_rank); cover, the labels of the column that stand for a rank (rank, code).
-- Takes: this_rank, the column of ranks.
-- Gives: the table next_pairs (target, node).
CREATE OR REPLACE TEMP TABLE next_pairs AS
SELECT wanted.target, wanted.node
FROM wanted
JOIN kanon.attack_targets ON attack_targets.target = wanted.target
JOIN cover ON cover.rank = attack_targets.this_rank AND cover.code = wanted.code
