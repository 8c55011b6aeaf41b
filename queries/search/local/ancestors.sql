-- One dimension: the nodes above each of its values, each node with a number of its own.
CREATE OR REPLACE TEMP TABLE ancestors AS
SELECT reached.position, numbered.number, numbered.level, numbered.cost
FROM (
    SELECT
        position,
        unnest([LIST_OF(CAST(level_number AS INTEGER))]) AS level,
        unnest([LIST_OF(position >> level_shift)]) AS node
    FROM (SELECT DISTINCT CAST(this_position AS BIGINT) AS position FROM cells) AS present
) AS reached
JOIN (
    SELECT level, node, cost, row_number() OVER (ORDER BY level, node) AS number
    FROM costs
) AS numbered ON numbered.level = reached.level AND numbered.node = reached.node
