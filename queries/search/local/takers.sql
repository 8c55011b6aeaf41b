-- Answers: the tuples whose cheapest label on offer was accepted before, or is the cheapest of enough rows.
-- Reads: offers, labels on offer to tuples (cell, label, row_count); accepted, the labels that were accepted (label).
-- Takes: $k, the fewest rows of a class.
-- Gives: the table takers (cell, label, row_count).
CREATE OR REPLACE TEMP TABLE takers AS
WITH cheapest AS (
    SELECT cell, min(label) AS label, any_value(row_count) AS row_count
    FROM offers
    GROUP BY cell
),
winning AS (
    SELECT label
    FROM cheapest
    GROUP BY label
    HAVING sum(row_count) >= $k
    UNION ALL
    SELECT label
    FROM accepted
)
SELECT cheapest.cell, cheapest.label, cheapest.row_count
FROM cheapest
SEMI JOIN winning ON winning.label = cheapest.label
