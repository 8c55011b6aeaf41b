-- Answers: the labels by which prices are improved; none yet.
-- Reads: priced_pairs, the tuples with the labels near their prices (label, cell, row_count, cost).
-- Takes: nothing.
-- Gives: the table active (label, cell, row_count, cost).
CREATE OR REPLACE TEMP TABLE active AS
SELECT label, cell, row_count, cost
FROM priced_pairs
WHERE false
