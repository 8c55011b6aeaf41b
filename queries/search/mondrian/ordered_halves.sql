-- Answers: along ordered dimensions: the value at which half of a partition's rows are reached is shared out.
-- Reads: histogram, the rows of each partition at each position of a dimension (all columns); spans, the ends of each
-- partition along each dimension (first_number, first_breadth, last_breadth, width, row_count, rows_before, part,
-- dimension, first_position, last_position); ordered_places, where the positions of ordered dimensions lie (measure,
-- step, dimension, position).
-- Takes: $k, the fewest rows of a class.
-- Gives: further rows of the table halves (part, dimension, low, high, left_of_tie, row_count, width, gain).
INSERT INTO halves
SELECT
    part,
    dimension,
    position AS low,
    position AS high,
    all_rows // 2 - (left_rows - row_count) AS left_of_tie,
    all_rows AS row_count,
    width,
    all_rows * (last_breadth - first_breadth)
    - (all_rows // 2) * (breadth - first_breadth)
    - (all_rows - all_rows // 2)
    * (last_breadth - CASE WHEN left_rows = all_rows // 2 THEN next_breadth ELSE breadth END) AS gain
FROM (
    SELECT
        values_there.*,
        coalesce(values_there.values_before * place.step, place.measure) AS breadth,
        coalesce((values_there.values_before + 1) * next_place.step, next_place.measure) AS next_breadth
    FROM (
        SELECT
            histogram.*,
            histogram.rows_so_far - spans.rows_before AS left_rows,
            spans.row_count AS all_rows,
            histogram.number - spans.first_number AS values_before,
            spans.first_breadth,
            spans.last_breadth,
            spans.width
        FROM histogram
        JOIN spans ON spans.part = histogram.part AND spans.dimension = histogram.dimension
        WHERE spans.first_position < spans.last_position
    ) AS values_there
    JOIN ordered_places AS place
        ON place.dimension = values_there.dimension AND place.position = values_there.position
    LEFT JOIN ordered_places AS next_place
        ON next_place.dimension = values_there.dimension AND next_place.position = values_there.next_position
) AS measured
WHERE left_rows >= all_rows // 2 AND left_rows - row_count < all_rows // 2 AND all_rows // 2 >= $k
