-- Answers: one dimension without hierarchy: a tree over its ranks; each node is as broad as the range below it, or as
-- it has values below it, weighted.
-- Reads: places, a row for each position of a dimension (spread, position).
-- Takes: spread, the column that says how far values are from each other, their positions for texts; level_number, of
-- each level its number; level_shift, of each level the shift of a position to its node there; $whole, how broad all
-- values are; $units, how many units a loss of 1 has; $weight, the weight of the dimension.
-- Gives: the table costs (level, node, cost).
CREATE OR REPLACE TEMP TABLE costs AS
SELECT
    level,
    node,
    floor(CAST($weight AS DOUBLE) * coalesce(max(measure) - min(measure), 0) / $whole * $units) / $units AS cost
FROM (
    SELECT
        unnest([LIST_OF(CAST(level_number AS INTEGER))]) AS level,
        unnest([LIST_OF(CAST(position AS BIGINT) >> level_shift)]) AS node,
        CASE WHEN position > 0 THEN spread END AS measure
    FROM places
) AS reached
GROUP BY level, node
