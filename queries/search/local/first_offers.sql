-- Answers: only labels that enough rows fall under stay on offer.
-- Reads: offers, labels on offer to tuples (all columns).
-- Takes: $k, the fewest rows of a class.
-- Gives: the table offers, with the columns of what it reads.
CREATE OR REPLACE TEMP TABLE offers AS
SELECT offers.*
FROM offers
SEMI JOIN (
    SELECT label
    FROM offers
    GROUP BY label
    HAVING sum(row_count) >= $k
) AS live ON live.label = offers.label
