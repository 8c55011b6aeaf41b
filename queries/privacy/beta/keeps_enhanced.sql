-- Answers: how many rows, at most, of each class that violates enhanced beta-likeness could stay in any parts of it
-- that hold it: as the basic one, where a value's share q of all rows grows by no more than -ln(q) times q either. What
-- a value may have is rounded up.
-- Reads: class_values (the classes' key, value, row_count, size), reference (value, share).
-- Takes: $beta.
-- Gives: key_code, kept.
SELECT
    key_code,
    CAST(
        floor(
            coalesce(sum(CASE WHEN NOT is_frequent THEN row_count END), 0)
            / (1 - sum(CASE WHEN is_frequent THEN most END))
            * (1 + 1e-9)
        ) AS BIGINT
    ) AS kept
FROM (
    SELECT
        key_code,
        row_count,
        most,
        row_count > most * size AS is_frequent
    FROM (
        SELECT
            class_values.key_code,
            class_values.row_count,
            class_values.size,
            reference.share * (1 + least($beta, -ln(reference.share))) * (1 + 1e-9) AS most
        FROM class_values
        JOIN reference ON reference.value = class_values.value
    ) AS bounded
) AS shares
GROUP BY key_code
HAVING sum(CASE WHEN is_frequent THEN most END) < 1 - 1e-6
