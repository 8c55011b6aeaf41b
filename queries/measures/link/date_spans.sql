-- Answers: dates, moments and periods as the first and the last microsecond that they hold: 2024-03-05, 2024-03-05T14,
-- 2024-03, 2024-Q1, 2024, 2020-2029, 2020-01-01/2020-03-31, and bounds that were two columns, "2020-01-01 to
-- 2020-03-31". An offset from UTC is left out: the day is the day that stands there. Other texts have none.
-- Reads: labels, the distinct values of one side (code, bare).
-- Takes: nothing.
-- Gives: the table spans (code, low, high).
CREATE OR REPLACE TEMP TABLE spans AS
WITH halves AS (
    SELECT
        code,
        bare,
        regexp_extract(bare, '^([^/]*)(?:/| to )([^/]*)$', ['first', 'last']) AS pair,
        regexp_extract(bare, '^([0-9]{4})-([0-9]{4})$', ['first', 'last']) AS years
    FROM labels
    WHERE bare IS NOT NULL
),
ends_apart AS (
    SELECT
        code,
        bare,
        unnest([true, false]) AS is_first,
        unnest(CASE
            WHEN pair.first <> '' OR pair.last <> '' THEN [pair.first, pair.last]
            WHEN years.first <> '' THEN [years.first, years.last]
            ELSE [bare, bare]
        END) AS text
    FROM halves
),
matched AS (
    SELECT
        code,
        bare,
        is_first,
        regexp_extract(text, '^([0-9]{4,})$', 1) AS year,
        regexp_extract(text, '^([0-9]{4,}-[0-9]{2})$', 1) AS month,
        regexp_extract(text, '^([0-9]{4}-Q[1-4])$', 1) AS quarter,
        regexp_extract(
            text,
            '^\s*([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[Tt ]([0-9]{2})(?::([0-9]{2})(?::([0-9]{2})([.][0-9]+)?)?)? ?(?:[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?)?\s*$',
            ['day', 'hour', 'minute', 'second', 'fraction']
        ) AS parts
    FROM ends_apart
),
moments AS (
    SELECT
        code,
        bare,
        is_first,
        year,
        month,
        quarter,
        parts.hour AS hour,
        parts.minute AS minute,
        parts.second AS second,
        parts.fraction AS fraction,
        TRY_CAST(CASE
            WHEN year <> '' THEN year || '-01-01'
            WHEN month <> '' THEN month || '-01'
            WHEN quarter <> ''
                THEN left(quarter, 4) || '-' || lpad(CAST(3 * CAST(right(quarter, 1) AS INTEGER) - 2 AS VARCHAR), 2, '0')
                || '-01'
            ELSE
                parts.day || ' ' || coalesce(nullif(parts.hour, ''), '00')
                || ':' || coalesce(nullif(parts.minute, ''), '00')
                || ':' || coalesce(nullif(parts.second, ''), '00')
                || parts.fraction
        END AS TIMESTAMP) AS moment
    FROM matched
),
periods AS (
    SELECT
        code,
        bare,
        min(CASE WHEN is_first THEN moment END) AS starts,
        max(CASE WHEN NOT is_first THEN
            CASE
                WHEN year <> '' THEN moment + INTERVAL 1 YEAR
                WHEN month <> '' THEN moment + INTERVAL 1 MONTH
                WHEN quarter <> '' THEN moment + INTERVAL 3 MONTH
                WHEN hour = '' THEN moment + INTERVAL 1 DAY
                WHEN minute = '' THEN moment + INTERVAL 1 HOUR
                WHEN second = '' THEN moment + INTERVAL 1 MINUTE
                WHEN fraction = '' THEN moment + INTERVAL 1 SECOND
                ELSE moment + INTERVAL 1 MICROSECOND
            END - INTERVAL 1 MICROSECOND
        END) AS ends
    FROM moments
    GROUP BY code, bare
)
SELECT
    code,
    CASE WHEN starts_with(bare, ' to ') THEN CAST('-inf' AS DOUBLE) ELSE CAST(epoch_us(starts) AS DOUBLE) END AS low,
    CAST(epoch_us(ends) AS DOUBLE) AS high
FROM periods
WHERE low <= high
