-- The equivalence classes with further models: a class violates when it is too small or violates one of these.
WITH violating AS (
    SELECT *
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
