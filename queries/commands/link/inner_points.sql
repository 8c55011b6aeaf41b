-- The points below each value, or the value itself where there are none below.
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
