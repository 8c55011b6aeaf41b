-- Answers: where the values of each open partition begin and end along each dimension.
-- Reads: histogram, the rows of each partition at each position of a dimension (part, dimension, position, breadth,
-- row_count, rows_so_far, measure).
-- Takes: nothing.
-- Gives: the table spans (part, dimension, row_count, first_position, last_position, rows_before, first_breadth,
-- last_breadth, width).
CREATE OR REPLACE TEMP TABLE spans AS
SELECT
    part,
    dimension,
    CAST(sum(row_count) AS BIGINT) AS row_count,
    min(position) AS first_position,
    max(position) AS last_position,
    min(rows_so_far - row_count) AS rows_before,
    min(breadth) AS first_breadth,
    max(breadth) AS last_breadth,
    max(measure) - min(measure) AS width
FROM histogram
GROUP BY part, dimension
