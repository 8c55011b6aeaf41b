-- Answers: along ordered dimensions: each place between two neighbouring values of a partition where both sides satisfy
-- the models. The preference is 2 for the cut behind the median (the first value at which half of the rows are
-- reached), 1 for the one before it, else 0.
-- Reads: histogram, the rows of each partition at each position of a dimension (part, dimension, position, row_count,
-- rows_so_far, number, next_position, next_row_count); spans, the ends of each partition along each dimension
-- (first_number, first_breadth, last_breadth, width, row_count, rows_before, part, dimension); ordered_places, where
-- the positions of ordered dimensions lie (measure, step, dimension, position).
-- Takes: $k, the fewest rows of a class.
-- Gives: further rows of the table allowable_cuts (part, dimension, low, high, left_rows, row_count, width, gain,
-- preference).
INSERT INTO allowable_cuts
SELECT
    part,
    dimension,
    0 AS low,
    position AS high,
    left_rows,
    all_rows AS row_count,
    width,
    all_rows * (last_breadth - first_breadth)
    - left_rows * (breadth - first_breadth)
    - (all_rows - left_rows) * (last_breadth - next_breadth) AS gain,
    CASE
        WHEN 2 * left_rows >= all_rows AND 2 * (left_rows - rows_there) < all_rows THEN 2
        WHEN 2 * left_rows < all_rows AND 2 * (left_rows + next_row_count) >= all_rows THEN 1
        ELSE 0
    END AS preference
FROM (
    SELECT
        between_values.part,
        between_values.dimension,
        between_values.position,
        between_values.rows_there,
        between_values.next_row_count,
        between_values.left_rows,
        between_values.all_rows,
        between_values.first_breadth,
        between_values.last_breadth,
        between_values.width,
        coalesce(between_values.values_before * place.step, place.measure) AS breadth,
        coalesce((between_values.values_before + 1) * next_place.step, next_place.measure) AS next_breadth
    FROM (
        SELECT
            histogram.part,
            histogram.dimension,
            histogram.position,
            histogram.row_count AS rows_there,
            histogram.next_position,
            histogram.next_row_count,
            histogram.number - spans.first_number AS values_before,
            histogram.rows_so_far - spans.rows_before AS left_rows,
            spans.row_count AS all_rows,
            spans.first_breadth,
            spans.last_breadth,
            spans.width
        FROM histogram
        JOIN spans ON spans.part = histogram.part AND spans.dimension = histogram.dimension
        WHERE
            histogram.rows_so_far - spans.rows_before >= $k
            AND spans.row_count - (histogram.rows_so_far - spans.rows_before) >= $k
    ) AS between_values
    JOIN ordered_places AS place
        ON place.dimension = between_values.dimension AND place.position = between_values.position
    JOIN ordered_places AS next_place
        ON next_place.dimension = between_values.dimension AND next_place.position = between_values.next_position
) AS measured
