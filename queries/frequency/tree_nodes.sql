-- Answers: the nodes of a hierarchy at every level: what a class is released as whose values all lie below a node, and
-- its loss.
-- Reads: weight, the released values of a hierarchy (label, level, code, leaves); domain, the distinct values of a
-- column (value, position); mapping, the mapping table (value, step_code).
-- Takes: file_top, the level of the top in the hierarchy's file; step_code, of each level the column of its codes;
-- step_number, of each level its number; step_shift, of each level the shift to its bits; $leaves, how many leaves
-- there are; $missing, the label of missing values.
-- Gives: the table nodes (level, node, label, cost).
CREATE OR REPLACE TEMP TABLE nodes AS
SELECT
    reached.level,
    reached.node,
    max_by(
        CASE
            WHEN reached.level > file_top THEN '*'
            WHEN reached.code = 0 AND (reached.level = 0 OR reached.level < file_top) THEN CAST($missing AS VARCHAR)
            ELSE weight.label
        END,
        reached.code
    ) AS label,
    max_by(
        CASE
            WHEN $leaves <= 1 OR (reached.code = 0 AND reached.level = 0) THEN 0.0
            WHEN reached.level > file_top THEN 1.0
            ELSE (weight.leaves - 1) / CAST($leaves - 1 AS DOUBLE)
        END,
        reached.code
    ) AS cost
FROM (
    SELECT
        unnest([LIST_OF(CAST(step_number AS INTEGER))]) AS level,
        unnest([LIST_OF(CAST(mapping.step_code AS BIGINT))]) AS code,
        unnest([LIST_OF(CAST(domain.position AS BIGINT) >> step_shift)]) AS node
    FROM domain
    JOIN mapping ON mapping.value IS NOT DISTINCT FROM domain.value
) AS reached
LEFT JOIN weight ON weight.level = reached.level AND weight.code = reached.code
GROUP BY reached.level, reached.node
