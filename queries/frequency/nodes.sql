-- Answers: the nodes of a sensitive column's hierarchy, with the rows below them; the top is one node.
-- Reads: reference, how often each value occurs in all rows (row_count, value); domain, the distinct values of a column
-- (position, value); mapping, the mapping table (step_code, value).
-- Takes: step_code, of each level the column of its codes; step_number, of each level its number; $height, the level of
-- the top.
-- Gives: the table nodes (level, node, row_count).
CREATE OR REPLACE TEMP TABLE nodes AS
SELECT level, node, CAST(sum(row_count) AS BIGINT) AS row_count
FROM (
    SELECT
        unnest([LIST_OF(CAST(step_number AS INTEGER)), $height]) AS level,
        unnest([LIST_OF(CAST(mapped.step_code AS BIGINT)), 0]) AS node,
        reference.row_count
    FROM reference
    JOIN (
        SELECT DISTINCT domain.position, mapping.step_code
        FROM domain
        JOIN mapping ON mapping.value IS NOT DISTINCT FROM domain.value
    ) AS mapped ON mapped.position = reference.value
) AS reached
GROUP BY level, node
