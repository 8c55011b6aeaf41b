-- Answers: the exchanges that are the best of both their groups, so that each group takes part in one at most.
-- Reads: exchanges, what an exchange between two groups gains (part, other, cell, partner, gain).
-- Takes: nothing.
-- Gives: the table chosen (part, other, cell, partner).
CREATE OR REPLACE TEMP TABLE chosen AS
SELECT part, other, cell, partner
FROM (
    SELECT
        *,
        row_number() OVER (PARTITION BY touched ORDER BY gain DESC, cell, partner, other) AS place
    FROM (
        SELECT *, part AS touched
        FROM exchanges
        UNION ALL
        SELECT *, other AS touched
        FROM exchanges
    ) AS sides
) AS sorted
WHERE place = 1
GROUP BY part, other, cell, partner
HAVING count(*) = 2
