-- Answers: where there are too many shapes: the most general one, the cheap ones, and as many of the others by chance.
-- Reads: half_labels, the half labels (all columns).
-- Takes: $most, how many shapes are kept.
-- Gives: the table half_labels, with the columns of what it reads.
CREATE OR REPLACE TEMP TABLE half_labels AS
SELECT half_labels.*
FROM half_labels
SEMI JOIN (
    SELECT shape
    FROM (
        SELECT
            shape,
            row_number() OVER (ORDER BY max(height) DESC, shape) AS by_height,
            row_number() OVER (ORDER BY avg(cost), shape) AS by_cost,
            row_number() OVER (ORDER BY hash(shape), shape) AS by_chance
        FROM half_labels
        GROUP BY shape
    ) AS ranked
    WHERE by_height = 1 OR by_cost <= $most // 2 OR by_chance <= $most // 2
) AS kept ON kept.shape = half_labels.shape
