-- Answers: which rows fall in one round, with the groups that they are in?
-- Reads: small, the rows that lie in combinations that stand for too few (place); they may be there several times;
-- kept, the rows that are left (place, household).
-- Takes: nothing but what small asks for.
-- Gives: the table fallen (place).
CREATE OR REPLACE TEMP TABLE kanon.fallen AS
SELECT place
FROM small
UNION
SELECT kept.place
FROM kanon.kept
JOIN (
    SELECT DISTINCT kept.household
    FROM kanon.kept
    JOIN small ON small.place = kept.place
) AS falling ON falling.household = kept.household
