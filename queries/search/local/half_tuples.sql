-- Answers: the half tuples so far.
-- Reads: half_next, the half tuples with one dimension more (tuple, kept_position, this_position).
-- Takes: kept_position, of each dimension that is in the half already its column of positions; this_position, of each
-- dimension the column of positions.
-- Gives: the table half_tuples (tuple, kept_position, this_position).
CREATE OR REPLACE TEMP TABLE half_tuples AS
SELECT tuple, kept_position, this_position
FROM half_next
