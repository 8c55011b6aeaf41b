-- The nodes above each value of a sensitive column, below the top of its hierarchy, each with its rows.
CREATE OR REPLACE TEMP TABLE ancestors AS
SELECT reached.value, reached.level, reached.node, reached.parent, nodes.row_count
FROM (
    SELECT DISTINCT
        domain.position AS value,
        unnest([LIST_OF(CAST(step_number AS INTEGER))]) AS level,
        unnest([LIST_OF(CAST(mapping.step_code AS BIGINT))]) AS node,
        unnest(list_concat([LIST_OF(CAST(mapping.step_code AS BIGINT))][2:], [CAST(0 AS BIGINT)])) AS parent
    FROM domain
    JOIN mapping ON mapping.value IS NOT DISTINCT FROM domain.value
) AS reached
JOIN nodes ON nodes.level = reached.level AND nodes.node = reached.node
