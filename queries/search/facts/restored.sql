-- Answers: what is kept so far, and besides some of what was suppressed, drawn by a hash: all of some persons, or some
-- facts of all persons. From there facts are suppressed anew; where more is left than before, that is kept.
-- Reads: held, the facts of each person (person, fact, worth); best, what is kept so far (person, fact).
-- Takes: $of_persons, whether persons are drawn, else facts; $share, how many of 1,000 are; $draw, the number of the
-- draw.
-- Gives: the table restored (person, fact, worth).
CREATE OR REPLACE TEMP TABLE restored AS
SELECT held.person, held.fact, held.worth
FROM held
LEFT JOIN best ON best.person = held.person AND best.fact = held.fact
WHERE
    best.fact IS NOT NULL
    OR hash(CASE WHEN $of_persons THEN held.person ELSE held.fact END, CAST($draw AS BIGINT)) % 1000 < $share
