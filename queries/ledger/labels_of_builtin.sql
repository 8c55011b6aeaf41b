-- Answers: what the values of a column are to a built-in hierarchy: how many distinct ones are written as its labels
-- are, how many of these are more than *, and how many are neither labels nor values that fit. A value that is missing
-- is nothing.
-- Reads: raw_values, the distinct values of a column (value).
-- Takes: $builtin, the built-in hierarchy; $keep, $levels and $widths, how the hierarchy is built; $labels, labels that
-- it has whatever the values are; $bottom and $top, where the open ends of intervals begin, NULL for none; $missing,
-- the label of missing values.
-- Gives: labels, telling, others.
SELECT
    CAST(count(CASE WHEN is_label THEN 1 END) AS BIGINT) AS labels,
    CAST(count(CASE WHEN is_label AND text <> '*' THEN 1 END) AS BIGINT) AS telling,
    CAST(count(CASE WHEN NOT is_label AND NOT fits THEN 1 END) AS BIGINT) AS others
FROM (
    SELECT
        text,
        coalesce(CASE
            WHEN text = '*' OR list_contains(CAST($labels AS VARCHAR[]), text) THEN true
            WHEN $builtin = 'prefix'
            THEN text LIKE '%*' AND list_contains(CAST($keep AS BIGINT[]), length(rtrim(text, '*')))
            WHEN $builtin = 'intervals'
            THEN list_contains(CAST($widths AS DECIMAL(38, 10)[]), coalesce(whole_width, open_width))
                OR coalesce(whole_lower, open_lower) = CAST($bottom AS DECIMAL(38, 10))
                OR coalesce(whole_upper + 1, open_upper) = CAST($top AS DECIMAL(38, 10))
            WHEN $builtin = 'de-plz' THEN regexp_full_match(text, '[0-9]{1,3}[*]{2,4}') AND length(text) = 5
            WHEN $builtin = 'date'
            THEN (list_contains(CAST($levels AS VARCHAR[]), 'month') AND regexp_full_match(text, '-?[0-9]{4,}-[0-9]{2}'))
                OR (list_contains(CAST($levels AS VARCHAR[]), 'quarter') AND regexp_full_match(text, '-?[0-9]{4,}-Q[1-4]'))
                OR (list_contains(CAST($levels AS VARCHAR[]), 'year') AND regexp_full_match(text, '-?[0-9]{4,}'))
                OR (list_contains(CAST($levels AS VARCHAR[]), 'decade') AND whole_width = 10)
                OR (list_contains(CAST($levels AS VARCHAR[]), 'century') AND whole_width = 100)
        END, false) AS is_label,
        CASE
            WHEN $builtin = 'intervals' THEN TRY_CAST(text AS DOUBLE) IS NOT NULL
            WHEN $builtin = 'date' THEN TRY_CAST(text AS TIMESTAMP) IS NOT NULL
            ELSE true
        END AS fits
    FROM (
        SELECT
            text,
            TRY_CAST(whole.lower AS DECIMAL(38, 10)) AS whole_lower,
            TRY_CAST(whole.upper AS DECIMAL(38, 10)) AS whole_upper,
            whole_upper - whole_lower + 1 AS whole_width,
            TRY_CAST(half_open.lower AS DECIMAL(38, 10)) AS open_lower,
            TRY_CAST(half_open.upper AS DECIMAL(38, 10)) AS open_upper,
            open_upper - open_lower AS open_width
        FROM (
            SELECT
                text,
                regexp_extract(text, '^(-?[0-9]+)-(-?[0-9]+)$', ['lower', 'upper']) AS whole,
                regexp_extract(text, '^\[(-?[0-9.]+), (-?[0-9.]+)\)$', ['lower', 'upper']) AS half_open
            FROM (
                SELECT DISTINCT CAST(value AS VARCHAR) AS text
                FROM raw_values
            ) AS present
            WHERE text IS NOT NULL AND NOT list_contains(CAST($missing AS VARCHAR[]), text)
        ) AS parts
    ) AS measured
) AS judged
