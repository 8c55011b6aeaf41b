-- Answers: the beginnings that match so far with the labels that stand for the value of the next column.
-- Reads: pairs, the beginnings that match so far (target, node); attack_targets, the rows that an adversary looks for
-- (target, this_rank); cover, the labels of the column that stand for a rank (rank, code).
-- Takes: this_rank, the column of ranks.
-- Gives: the table wanted (target, node, code).
CREATE OR REPLACE TEMP TABLE wanted AS
SELECT pairs.target, pairs.node, cover.code
FROM pairs
JOIN kanon.attack_targets ON attack_targets.target = pairs.target
JOIN cover ON cover.rank = attack_targets.this_rank
