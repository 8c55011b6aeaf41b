-- The rows of the smallest class where each dimension is released at one level.
SELECT min(row_count) AS smallest
FROM (
    SELECT sum(row_count) AS row_count
    FROM cells
    GROUP BY CAST(this_position AS BIGINT) >> this_shift
) AS classes
