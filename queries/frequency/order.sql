-- Answers: the distinct values of one quasi-identifier without a hierarchy, in their order: position 0 for missing
-- values, then from 1; values that are equal in their type share a position, unless ties are broken. The measure runs
-- from 0 to 1.
-- Reads: distinct_values, the distinct values of a column (value, is_missing).
-- Takes: endless_value, whether a value has no end; label_value, the text of a value; number_value, the number that
-- measures a value; ordered_value, the value in the type of the order; tie_value, what breaks ties.
-- Gives: the table domain (value, position, ordered, label, missing, endless, measure).
CREATE OR REPLACE TEMP TABLE domain AS
SELECT
    value,
    CASE
        WHEN ordered IS NULL THEN 0
        ELSE dense_rank() OVER (PARTITION BY ordered IS NULL ORDER BY ordered, tie)
    END AS position,
    ordered,
    CASE WHEN ordered IS NOT NULL THEN label END AS label,
    is_missing AS missing,
    ordered IS NOT NULL AND is_endless AS endless,
    CASE
        WHEN ordered IS NULL THEN 0.0
        ELSE coalesce(
            CAST(number - min(number) OVER () AS DOUBLE)
            / nullif(CAST(max(number) OVER () - min(number) OVER () AS DOUBLE), 0),
            0.0
        )
    END AS measure
FROM (
    SELECT
        value,
        is_missing,
        ordered_value AS ordered,
        tie_value AS tie,
        label_value AS label,
        number_value AS number,
        endless_value AS is_endless
    FROM distinct_values
) AS typed
