-- Answers: each class takes the tuple that makes it dearer by least, and those with which it then loses as much a row.
-- Reads: join_offers, the class that each waiting tuple makes dearer by least (cell, row_count, best).
-- Takes: nothing.
-- Gives: further rows of the table joined (part, cell, row_count).
INSERT INTO joined
SELECT best.part, cell, row_count
FROM join_offers
QUALIFY best.cost = struct_extract(min(best) OVER (PARTITION BY best.part), 'cost')
