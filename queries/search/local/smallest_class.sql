-- Answers: the rows of the smallest class where each dimension is released at one level.
-- Reads: cells, the distinct tuples, numbered (row_count, this_position).
-- Takes: this_position, of each dimension the column of positions; this_shift, of each dimension the shift of a
-- position to its node.
-- Gives: smallest.
SELECT min(row_count) AS smallest
FROM (
    SELECT sum(row_count) AS row_count
    FROM cells
    GROUP BY CAST(this_position AS BIGINT) >> this_shift
) AS classes
