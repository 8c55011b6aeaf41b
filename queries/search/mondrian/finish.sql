-- Answers: the tuples of partitions that cannot be cut again are put aside: where they are many, rounds are faster
-- without them.
-- Reads: next_tuples, the tuples after the cuts of a round (part, this_position, row_count, live).
-- Takes: this_position, of each dimension the column of positions.
-- Gives: further rows of the table assigned (part, this_position, row_count).
INSERT INTO assigned
SELECT part, this_position, row_count
FROM next_tuples
WHERE live = 0
