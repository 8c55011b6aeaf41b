-- Answers: the nodes above each value of a sensitive column, below the top of its hierarchy, each with its rows.
-- Reads: nodes, the nodes of a hierarchy (row_count, level, node); domain, the distinct values of a column (position,
-- value); mapping, the mapping table (value, step_code).
-- Takes: step_code, of each level the column of its codes; step_number, of each level its number.
-- Gives: the table ancestors (value, level, node, parent, row_count).
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
