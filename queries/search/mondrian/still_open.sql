-- Answers: the tuples of the partitions that may be cut again.
-- Reads: next_tuples, the tuples after the cuts of a round (part, this_position, row_count, live).
-- Takes: this_position, of each dimension the column of positions.
-- Gives: the table open_tuples (part, this_position, row_count, live).
CREATE OR REPLACE TEMP TABLE open_tuples AS
SELECT part, this_position, row_count, live
FROM next_tuples
WHERE live <> 0
