-- Only labels that enough rows fall under stay on offer.
CREATE OR REPLACE TEMP TABLE offers AS
SELECT offers.*
FROM offers
SEMI JOIN (
    SELECT label
    FROM offers
    GROUP BY label
    HAVING sum(row_count) >= $k
) AS live ON live.label = offers.label
