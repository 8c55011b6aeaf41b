-- Answers: the facts of persons that k persons or more have: those of fewer can never be released.
-- Reads: held, the facts of each person (person, fact, worth).
-- Takes: $k.
-- Gives: the table frequent (person, fact, worth).
CREATE OR REPLACE TEMP TABLE frequent AS
SELECT held.person, held.fact, held.worth
FROM held
JOIN (
    SELECT fact
    FROM held
    GROUP BY fact
    HAVING count(*) >= $k
) AS known ON known.fact = held.fact
