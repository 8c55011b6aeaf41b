-- Answers: what stays on offer to the tuples without a class: labels accepted before, and those that still have enough
-- rows.
-- Reads: offers, labels on offer to tuples (all columns); takers, the tuples whose label is accepted (cell); accepted,
-- the labels that were accepted (label).
-- Takes: $k, the fewest rows of a class.
-- Gives: the table offers, with the columns of what it reads.
CREATE OR REPLACE TEMP TABLE offers AS
WITH open_offers AS MATERIALIZED (
    SELECT offers.*
    FROM offers
    ANTI JOIN takers ON takers.cell = offers.cell
),
live AS (
    SELECT label
    FROM open_offers
    GROUP BY label
    HAVING sum(row_count) >= $k
    UNION ALL
    SELECT label
    FROM accepted
)
SELECT open_offers.*
FROM open_offers
SEMI JOIN live ON live.label = open_offers.label
