-- Answers: those for whom no released class stands.
-- Reads: attack_targets, the rows that an adversary looks for (target, known_rank); pairs, the classes that stand for
-- them (target).
-- Takes: known_rank, of each column its ranks.
-- Gives: the table lonely (target, known_rank).
CREATE OR REPLACE TEMP TABLE lonely AS
SELECT attack_targets.target, attack_targets.known_rank
FROM kanon.attack_targets
LEFT JOIN (SELECT DISTINCT target FROM pairs) AS found ON found.target = attack_targets.target
WHERE found.target IS NULL
