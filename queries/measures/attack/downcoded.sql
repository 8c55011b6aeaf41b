-- Answers: how many cells and rows can be narrowed, and in how many classes.
-- Reads: known, of each class and dimension the cells that its label tells (part, dimension, cells).
-- Takes: nothing.
-- Gives: dimension, NULL for all of them; row_count, the cells of a dimension, of all of them the rows that one of them
-- narrows; classes, in which there are some.
SELECT dimension, CAST(sum(cells) AS BIGINT) AS row_count, count(*) AS classes
FROM known
WHERE cells > 0
GROUP BY dimension
UNION ALL
SELECT NULL AS dimension, CAST(coalesce(sum(cells), 0) AS BIGINT) AS row_count, count(*) AS classes
FROM (SELECT part, max(cells) AS cells FROM known WHERE cells > 0 GROUP BY part) AS widest
