-- Answers: how much of a column each of its labels stands for, as a share of its values.
-- Reads: runs, what each label stands for as runs of ranks (code, first, last); ranks, the domain of the column rank by
-- rank (rank).
-- Takes: nothing.
-- Gives: the table widths (code, width).
CREATE OR REPLACE TEMP TABLE widths AS
SELECT code, round(CAST(sum(last - first + 1) AS DOUBLE) / (SELECT max(rank) + 1 FROM ranks), 9) AS width
FROM runs
GROUP BY code
