-- Answers: the next column of one side: each node is split by the signatures that its rows have there. Their numbers
-- stand in no order.
-- Reads: groups, the distinct rows of one side with their number (node, this_text); signatures, the signatures of
-- values of one side (signature, label).
-- Takes: this_text, the column of texts.
-- Gives: the table nodes (node, parent, signature).
CREATE OR REPLACE TEMP TABLE nodes AS
SELECT row_number() OVER () AS node, parent, signature
FROM (
    SELECT DISTINCT groups.node AS parent, signatures.signature
    FROM groups
    JOIN signatures ON signatures.label IS NOT DISTINCT FROM groups.this_text
) AS split
