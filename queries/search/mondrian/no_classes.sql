-- Answers: the finished partitions, by their tuples; empty yet.
-- Reads: open_tuples, the tuples with the partition of each and the dimensions along which it is live (part,
-- this_position, row_count).
-- Takes: this_position, of each dimension the column of positions.
-- Gives: the table assigned (part, this_position, row_count).
CREATE OR REPLACE TEMP TABLE assigned AS
SELECT part, this_position, row_count
FROM open_tuples
WHERE FALSE
