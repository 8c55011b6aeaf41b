-- Answers: one dimension of dates: each class from the hour, day, month, year or decade of its first value to that of
-- its last, whichever fits the width of the range; a period is no value of the data. What all rows of a class share is
-- no range; where missing values are beside it, it is.
-- Reads: classes, the classes by the least and the greatest position of each dimension (part, this_first, this_low,
-- this_high); places, a row for each position of a dimension (label, bound, position).
-- Takes: this_first, of each dimension the least position that is no missing value; this_high and this_low, of each
-- dimension the least and the greatest position; $days, whether the ends are days; $hours, whether the ends are full
-- hours; $missing, the label of missing values; $span, how far a range reaches at least.
-- Gives: the table labels (part, label, cost).
CREATE OR REPLACE TEMP TABLE labels AS
SELECT
    part,
    CASE
        WHEN low IS NULL THEN CAST($missing AS VARCHAR)
        WHEN is_single THEN single
        WHEN lower_end = upper_end THEN lower_end
        ELSE lower_end || '/' || upper_end
    END
    || CASE WHEN has_missing THEN ' or missing' ELSE '' END AS label,
    CASE
        WHEN low IS NULL OR is_single OR $span = 0 THEN 0.0
        ELSE least(CAST(epoch_us(finish) - epoch_us(start) AS DOUBLE) / CAST($span AS DOUBLE), 1.0)
    END AS cost
FROM (
    SELECT
        part,
        has_missing,
        is_single,
        single,
        low,
        CASE
            WHEN $hours AND width < 2 * 86400000000 THEN 'hour'
            WHEN $days AND width < 60 * 86400000000 THEN 'day'
            WHEN width < 731 * 86400000000 THEN 'month'
            WHEN width < 7305 * 86400000000 THEN 'year'
            ELSE 'decade'
        END AS period,
        CASE period
            WHEN 'hour' THEN date_trunc('hour', low)
            WHEN 'day' THEN date_trunc('day', low)
            WHEN 'month' THEN date_trunc('month', low)
            WHEN 'year' THEN date_trunc('year', low)
            ELSE date_trunc('decade', low)
        END AS start,
        CASE period
            WHEN 'hour' THEN date_trunc('hour', high) + INTERVAL 1 HOUR
            WHEN 'day' THEN date_trunc('day', high) + INTERVAL 1 DAY
            WHEN 'month' THEN date_trunc('month', high) + INTERVAL 1 MONTH
            WHEN 'year' THEN date_trunc('year', high) + INTERVAL 1 YEAR
            ELSE date_trunc('decade', high) + INTERVAL 10 YEAR
        END AS finish,
        CASE period
            WHEN 'hour' THEN strftime(start, '%Y-%m-%dT%H')
            WHEN 'day' THEN strftime(start, '%Y-%m-%d')
            WHEN 'month' THEN strftime(start, '%Y-%m')
            ELSE strftime(start, '%Y')
        END AS lower_end,
        CASE period
            WHEN 'hour' THEN strftime(high, '%Y-%m-%dT%H')
            WHEN 'day' THEN strftime(high, '%Y-%m-%d')
            WHEN 'month' THEN strftime(high, '%Y-%m')
            ELSE strftime(finish - INTERVAL 1 YEAR, '%Y')
        END AS upper_end
    FROM (
        SELECT
            classes.part,
            classes.this_first > classes.this_low AS has_missing,
            classes.this_low = classes.this_high AS is_single,
            lower_place.label AS single,
            CAST(lower_place.bound AS TIMESTAMP) AS low,
            CAST(upper_place.bound AS TIMESTAMP) AS high,
            epoch_us(high) - epoch_us(low) AS width
        FROM classes
        LEFT JOIN places AS lower_place ON lower_place.position = classes.this_first
        LEFT JOIN places AS upper_place ON upper_place.position = classes.this_high
    ) AS spans
) AS periods
