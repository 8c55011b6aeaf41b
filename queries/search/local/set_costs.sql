-- Answers: one dimension of texts: a tree over their ranks; each node is as broad as it has values below it, weighted.
-- Reads: places, a row for each position of a dimension (position).
-- Takes: level_number, of each level its number; level_shift, of each level the shift of a position to its node there;
-- $units, how many units a loss of 1 has; $values, how many values the dimension has; $weight, the weight of the
-- dimension.
-- Gives: the table costs (level, node, cost).
CREATE OR REPLACE TEMP TABLE costs AS
SELECT
    level,
    node,
    floor(
        CAST($weight AS DOUBLE) * greatest(count(CASE WHEN position > 0 THEN 1 END) - 1, 0) / greatest($values - 1, 1)
        * $units
    ) / $units AS cost
FROM (
    SELECT
        unnest([LIST_OF(CAST(level_number AS INTEGER))]) AS level,
        unnest([LIST_OF(CAST(position AS BIGINT) >> level_shift)]) AS node,
        position
    FROM places
) AS reached
GROUP BY level, node
