-- Answers: the tuples with the labels above them that prices were improved by.
-- Reads: active, these labels with their tuples (label, cell, cost).
-- Takes: nothing.
-- Gives: the table near_pairs (label, cell, cost).
CREATE OR REPLACE TEMP TABLE near_pairs AS
SELECT label, cell, cost
FROM active
