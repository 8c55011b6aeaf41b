-- The classes where each dimension is released at one level.
CREATE OR REPLACE TEMP TABLE members AS
SELECT
    CAST(dense_rank() OVER (ORDER BY [LIST_OF(CAST(this_position AS BIGINT) >> this_shift)]) AS INTEGER) AS part,
    cell,
    row_count
FROM cells
