-- Answers: a text column of which nothing is said: whether all values that are not missing are plain numerals or ISO
-- dates, and the most digits that the numerals have before and behind the point.
-- Reads: distinct_values, the distinct values of a column (value, is_missing).
-- Takes: nothing.
-- Gives: present, no_numerals, no_dates, whole_digits, decimals.
SELECT
    count(*) AS present,
    count(CASE WHEN NOT regexp_full_match(text, '-?(0|[1-9][0-9]*)([.][0-9]+)?') THEN 1 END) AS no_numerals,
    count(CASE WHEN NOT (
        regexp_full_match(text, '[0-9]{4}-[0-9]{2}-[0-9]{2}') AND try_cast(text AS DATE) IS NOT NULL
    ) THEN 1 END) AS no_dates,
    coalesce(max(length(regexp_replace(regexp_replace(text, '[.].*', ''), '-', ''))), 0) AS whole_digits,
    coalesce(max(length(regexp_replace(regexp_replace(text, '^[^.]*', ''), '[.]', ''))), 0) AS decimals
FROM (
    SELECT CAST(value AS VARCHAR) AS text
    FROM distinct_values
    WHERE NOT is_missing
) AS texts
