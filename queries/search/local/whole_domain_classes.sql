-- Answers: the classes where each dimension is released at one level.
-- Reads: cells, the distinct tuples, numbered (cell, row_count, this_position).
-- Takes: this_position, of each dimension the column of positions; this_shift, of each dimension the shift of a
-- position to its node.
-- Gives: the table members (part, cell, row_count).
CREATE OR REPLACE TEMP TABLE members AS
SELECT
    CAST(dense_rank() OVER (ORDER BY [LIST_OF(CAST(this_position AS BIGINT) >> this_shift)]) AS INTEGER) AS part,
    cell,
    row_count
FROM cells
