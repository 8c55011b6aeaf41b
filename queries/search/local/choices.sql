-- Answers: the tuples whose cheapest label on offer was accepted before, or is the cheapest of enough rows.
-- Reads: offers, labels on offer to tuples (cell, label, row_count); accepted, the labels that were accepted (label).
-- Takes: $k, the fewest rows of a class.
-- Gives: the table choices, with the columns of what it reads.
CREATE OR REPLACE TEMP TABLE choices AS
WITH cheapest AS (
    SELECT cell, min(label) AS label, any_value(row_count) AS row_count
    FROM offers
    GROUP BY cell
)
SELECT cheapest.*
FROM cheapest
SEMI JOIN (
    SELECT label
    FROM cheapest
    GROUP BY label
    HAVING sum(row_count) >= $k
    UNION ALL
    SELECT label
    FROM accepted
) AS wanted ON wanted.label = cheapest.label
