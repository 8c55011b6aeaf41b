-- Answers: how many days lie between two dates of a row, in the source and in its release. Total variation is half the
-- sum of the differences of the shares of each number of days, added up in whole numbers.
-- Reads: source, released, the two dates of each row (earlier, later).
-- Takes: nothing.
-- Gives: one row (source_days, released_days, total_variation), the means and the distance; NULL where a side has no
-- row with both dates.
WITH
differences AS (
    SELECT FALSE AS is_released, date_diff('day', earlier, later) AS days
    FROM source
    UNION ALL
    SELECT TRUE AS is_released, date_diff('day', earlier, later) AS days
    FROM released
),
sides AS (
    SELECT
        days,
        count(*) FILTER (WHERE NOT is_released) AS source_rows,
        count(*) FILTER (WHERE is_released) AS released_rows
    FROM differences
    WHERE days IS NOT NULL
    GROUP BY days
),
totals AS (
    SELECT nullif(sum(source_rows), 0) AS all_source, nullif(sum(released_rows), 0) AS all_released
    FROM sides
)
SELECT
    sum(sides.days * sides.source_rows) / any_value(totals.all_source) AS source_days,
    sum(sides.days * sides.released_rows) / any_value(totals.all_released) AS released_days,
    sum(abs(sides.source_rows * totals.all_released - sides.released_rows * totals.all_source))
    / any_value(totals.all_source) / any_value(totals.all_released) / 2 AS total_variation
FROM sides
CROSS JOIN totals
