-- Answers: the values of a quasi-identifier in each class that a search made of whole tuples.
-- Reads: frequency, the distinct tuples of positions (this_position, row_count); assigned, the class of each (part,
-- this_position).
-- Takes: this_position, of each dimension the column of positions; value_position, the one of the values.
-- Gives: part, NULL where rows are suppressed, code, row_count.
SELECT assigned.part, frequency.value_position AS code, frequency.row_count
FROM kanon.frequency
LEFT JOIN assigned ON assigned.this_position = frequency.this_position
