-- Answers: the equivalence classes with further models: a class violates when it is too small or violates one of these.
-- Reads: classes (key_code, size, violates: by k), violating_models (key_code of the classes that violate a model,
-- violates, always TRUE).
-- Takes: nothing.
-- Gives: key_code, size, violates.
WITH violating AS (
    SELECT key_code, violates
    FROM violating_models
)
SELECT
    classes.key_code,
    classes.size,
    classes.violates OR EXISTS (
        SELECT 1
        FROM violating
        WHERE violating.key_code = classes.key_code
    ) AS violates
FROM classes
