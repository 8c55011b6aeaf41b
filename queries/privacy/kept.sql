-- Answers: how many rows of each equivalence class are in no class that satisfies what is asked for, however it is
-- split. Those that are kept of one class are k at least.
-- Reads: classes (key_code, size, violates: no part of it satisfies), keeping_models (key_code of classes that violate
-- a model, kept: the most of their rows that parts which hold it have).
-- Takes: $k.
-- Gives: key_code, size: these rows, violates: whether there are any.
WITH keeping AS (
    SELECT key_code, min(kept) AS kept
    FROM keeping_models
    GROUP BY key_code
)
SELECT
    classes.key_code,
    CASE
        WHEN classes.violates OR keeping.kept < $k THEN classes.size
        ELSE greatest(classes.size - keeping.kept, 0)
    END AS size,
    classes.violates OR keeping.kept IS NOT NULL AS violates
FROM classes
LEFT JOIN keeping ON keeping.key_code = classes.key_code
