-- Answers: one dimension: how many rows of each open partition hold each of its values.
-- Reads: open_tuples, the tuples with the partition of each and the dimensions along which it is live (part,
-- this_position, row_count, live).
-- Takes: this_bit, the bit of the dimension; this_number, the number of the dimension; this_position, of each dimension
-- the column of positions.
-- Gives: part, dimension, position, row_count.
SELECT
    part,
    this_number AS dimension,
    CAST(this_position AS BIGINT) AS position,
    CAST(sum(row_count) AS BIGINT) AS row_count
FROM open_tuples
WHERE (live & this_bit) <> 0
GROUP BY part, this_position
