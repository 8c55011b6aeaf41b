-- Answers: where the values of each open partition begin and end along each dimension. The breadth of a text dimension
-- goes by its values that are there, that of numbers and dates by where they lie.
-- Reads: histogram, the rows of each partition at each position of a dimension (part, dimension, position, number,
-- row_count, rows_so_far); ordered_places, where the positions of ordered dimensions lie (measure, step, dimension,
-- position).
-- Takes: nothing.
-- Gives: the table spans (part, dimension, row_count, first_position, last_position, rows_before, first_number,
-- first_breadth, last_breadth, width).
CREATE OR REPLACE TEMP TABLE spans AS
SELECT
    ends.part,
    ends.dimension,
    ends.row_count,
    ends.first_position,
    ends.last_position,
    ends.rows_before,
    ends.first_number,
    coalesce(0 * first_place.step, first_place.measure) AS first_breadth,
    coalesce((ends.last_number - ends.first_number) * last_place.step, last_place.measure) AS last_breadth,
    last_place.measure - first_place.measure AS width
FROM (
    SELECT
        part,
        dimension,
        CAST(sum(row_count) AS BIGINT) AS row_count,
        min(position) AS first_position,
        max(position) AS last_position,
        min(number) AS first_number,
        max(number) AS last_number,
        min(rows_so_far - row_count) AS rows_before
    FROM histogram
    GROUP BY part, dimension
) AS ends
LEFT JOIN ordered_places AS first_place
    ON first_place.dimension = ends.dimension AND first_place.position = ends.first_position
LEFT JOIN ordered_places AS last_place
    ON last_place.dimension = ends.dimension AND last_place.position = ends.last_position
