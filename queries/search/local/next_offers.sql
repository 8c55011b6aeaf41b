-- What stays on offer to the tuples without a class: labels accepted before, and those that still have enough rows.
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
