-- Answers: the rows of the smallest class where each dimension is released at one level, of the classes under one node
-- of one dimension.
-- Reads: cells, the distinct tuples, numbered (row_count, this_position).
-- Takes: node_position, the column of that dimension; node_shift, the shift of a position to its node there; $position,
-- a position under the node; this_position, of each dimension the column of positions; this_shift, of each dimension
-- the shift of a position to its node.
-- Gives: smallest.
SELECT min(row_count) AS smallest
FROM (
    SELECT sum(row_count) AS row_count
    FROM cells
    WHERE CAST(node_position AS BIGINT) >> node_shift = CAST($position AS BIGINT) >> node_shift
    GROUP BY CAST(this_position AS BIGINT) >> this_shift
) AS classes
