-- Answers: labels that stand for no value of the source are values of their own, behind all others.
-- Reads: labels, the labels of one column of the release (code); runs, what each label stands for as runs of ranks
-- (code); ranks, the domain of one column rank by rank (rank).
-- Takes: nothing.
-- Gives: further rows of the table runs (code, first, last).
INSERT INTO runs
SELECT code, place AS first, place AS last
FROM (
    SELECT
        labels.code,
        (SELECT max(rank) FROM ranks) + row_number() OVER (ORDER BY labels.code) AS place
    FROM labels
    LEFT JOIN (SELECT DISTINCT code FROM runs) AS known ON known.code = labels.code
    WHERE known.code IS NULL
) AS strangers
