-- One dimension of texts: a tree over their ranks; each node is as broad as it has values below it, weighted.
CREATE OR REPLACE TEMP TABLE costs AS
SELECT
    level,
    node,
    CAST($weight AS DOUBLE) * greatest(count(CASE WHEN position > 0 THEN 1 END) - 1, 0) / greatest($values - 1, 1)
        AS cost
FROM (
    SELECT
        unnest([LIST_OF(CAST(level_number AS INTEGER))]) AS level,
        unnest([LIST_OF(CAST(position AS BIGINT) >> level_shift)]) AS node,
        position
    FROM places
) AS reached
GROUP BY level, node
