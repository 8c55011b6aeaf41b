-- The next column of one side: each node is split by the signatures that its rows have there. Their
-- numbers stand in no order.
CREATE OR REPLACE TEMP TABLE nodes AS
SELECT row_number() OVER () AS node, parent, signature
FROM (
    SELECT DISTINCT groups.node AS parent, signatures.signature
    FROM groups
    JOIN signatures ON signatures.label IS NOT DISTINCT FROM groups.this_text
) AS split
