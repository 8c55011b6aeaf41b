-- Answers: all tuples that are left are finished: no cut is allowable any more, or time ran out.
-- Reads: open_tuples, the tuples with the partition of each and the dimensions along which it is live (part,
-- this_position, row_count).
-- Takes: this_position, of each dimension the column of positions.
-- Gives: further rows of the table assigned (part, this_position, row_count).
INSERT INTO assigned
SELECT part, this_position, row_count
FROM open_tuples
