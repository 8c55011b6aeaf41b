-- Answers: the points below each value, or the value itself where there are none below.
-- Reads: points, the exact texts that a value stands for (code, point); labels, the distinct values of one side (code,
-- bare).
-- Takes: nothing.
-- Gives: the table inner_points (code, point).
CREATE OR REPLACE TEMP TABLE inner_points AS
SELECT DISTINCT points.code, points.point
FROM points
JOIN labels ON labels.code = points.code
LEFT JOIN (
    SELECT DISTINCT points.code
    FROM points
    JOIN labels ON labels.code = points.code
    WHERE points.point <> labels.bare
) AS generalized ON generalized.code = points.code
WHERE points.point <> labels.bare OR generalized.code IS NULL
