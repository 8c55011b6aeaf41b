-- Answers: the rare sets that persons keep once the next facts are suppressed.
-- Reads: shortages, the rare sets of each person (person, number, fact, cost); victims, the fact of a person to
-- suppress (person, fact).
-- Takes: nothing.
-- Gives: the table remaining (person, number, fact, cost).
CREATE OR REPLACE TEMP TABLE remaining AS
SELECT shortages.person, shortages.number, shortages.fact, shortages.cost
FROM shortages
ANTI JOIN (
    SELECT shortages.person, shortages.number
    FROM shortages
    JOIN victims ON victims.person = shortages.person AND victims.fact = shortages.fact
) AS hit ON hit.person = shortages.person AND hit.number = shortages.number
