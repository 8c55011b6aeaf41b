-- Answers: the labels by which prices are improved; none yet.
-- Reads: covers, the tuples below the near labels (label, cell, row_count, cost).
-- Takes: nothing.
-- Gives: the table active (label, cell, row_count, cost).
CREATE OR REPLACE TEMP TABLE active AS
SELECT label, cell, row_count, cost
FROM covers
WHERE false
