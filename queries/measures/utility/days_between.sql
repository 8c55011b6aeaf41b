-- Answers: how many days lie between two dates of a row, in the source and in its release. Total variation is half the
-- sum of the differences of the shares of each number of days.
-- Reads: source, released, the two dates of each row (earlier, later).
-- Takes: nothing.
-- Gives: one row (source_days, released_days, total_variation), the means and the distance; NULL where a side has no
-- row with both dates.
WITH
counted AS (
    SELECT date_diff('day', earlier, later) AS days, count(*) AS source_rows, 0 AS released_rows
    FROM source
    WHERE earlier IS NOT NULL AND later IS NOT NULL
    GROUP BY days
    UNION ALL
    SELECT date_diff('day', earlier, later) AS days, 0 AS source_rows, count(*) AS released_rows
    FROM released
    WHERE earlier IS NOT NULL AND later IS NOT NULL
    GROUP BY days
),
sides AS (
    SELECT
        days,
        CAST(sum(source_rows) AS DOUBLE) AS source_rows,
        CAST(sum(released_rows) AS DOUBLE) AS released_rows
    FROM counted
    GROUP BY days
),
totals AS (
    SELECT nullif(sum(source_rows), 0) AS all_source, nullif(sum(released_rows), 0) AS all_released
    FROM sides
)
SELECT
    sum(sides.days * sides.source_rows) / any_value(totals.all_source) AS source_days,
    sum(sides.days * sides.released_rows) / any_value(totals.all_released) AS released_days,
    sum(abs(sides.source_rows / totals.all_source - sides.released_rows / totals.all_released)) / 2 AS total_variation
FROM sides
CROSS JOIN totals
