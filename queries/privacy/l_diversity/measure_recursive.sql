-- Answers: for how many l each class holds (c,l)-diversity: its most frequent value is less than c times those from the
-- l-th on.
-- Reads: counted (the classes' quasi-identifiers, value, row_count).
-- Takes: $l, the fewest; $numerator and $denominator, c as a ratio.
-- Gives: each class with its measure, and whether that violates the threshold.
SELECT qi_value, measure, measure < $l AS violates
FROM (
    SELECT
        qi_value,
        count(CASE WHEN value IS NOT NULL AND most * $denominator < $numerator * from_here THEN 1 END) AS measure
    FROM (
        SELECT
            qi_value,
            value,
            max(CASE WHEN value IS NOT NULL THEN row_count END) OVER (PARTITION BY LIST_OF(qi_value)) AS most,
            sum(CASE WHEN value IS NOT NULL THEN row_count END) OVER rarest_first AS from_here
        FROM counted
        WINDOW rarest_first AS (
            PARTITION BY LIST_OF(qi_value) ORDER BY row_count, value ROWS UNBOUNDED PRECEDING
        )
    ) AS ranked
    GROUP BY qi_value
) AS measured
