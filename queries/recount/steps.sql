-- Answers: the nodes above each value of a hierarchy, below its top.
-- Reads: mapping, the values with the codes of their nodes: value, step_code.
-- Takes: step_number, the level of each step_code; $missing, the texts that mean missing: their value is NULL;
-- value_text, the text by which a value is told from others.
-- Gives: value, level, node.
SELECT DISTINCT
    CASE WHEN is_missing THEN NULL ELSE value_text END AS value,
    unnest([LIST_OF(CAST(step_number AS INTEGER))]) AS level,
    unnest([LIST_OF(CAST(step_code AS BIGINT))]) AS node
FROM (
    SELECT mapping.*, value IS NULL OR list_contains(CAST($missing AS VARCHAR[]), CAST(value AS VARCHAR)) AS is_missing
    FROM mapping
) AS marked
