-- Recursive (c,l)-diversity: for how many l the most frequent value is less than c times those from the l-th on.
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
