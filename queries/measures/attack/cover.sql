-- Answers: the labels of one column that stand for the values of those who are looked for.
-- Reads: attack_targets, the rows that an adversary looks for (this_code); runs, what each label stands for as runs of
-- ranks (code, first, last).
-- Takes: this_code, the column of ranks.
-- Gives: the table cover (rank, code).
CREATE OR REPLACE TEMP TABLE cover AS
SELECT DISTINCT asked.rank, runs.code
FROM (SELECT DISTINCT this_code AS rank FROM kanon.attack_targets) AS asked
JOIN runs ON asked.rank BETWEEN runs.first AND runs.last
