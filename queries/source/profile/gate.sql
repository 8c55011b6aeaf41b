-- Answers: what little tells whether a column may hold identifiers or free text at all.
-- Reads: profile_values, the distinct values of all columns (position, value, row_count).
-- Takes: $spellings, texts that are likely missing and left out.
-- Gives: position, distinct_values, counted_rows, alone, mean_length, with_at, plain_numbers, lowest, highest.
SELECT
    position,
    count(*) AS distinct_values,
    CAST(sum(row_count) AS BIGINT) AS counted_rows,
    count(*) FILTER (WHERE row_count = 1) AS alone,
    avg(length(value)) AS mean_length,
    count(*) FILTER (WHERE contains(value, '@')) AS with_at,
    count(TRY_CAST(value AS DOUBLE)) AS plain_numbers,
    min(TRY_CAST(value AS BIGINT)) AS lowest,
    max(TRY_CAST(value AS BIGINT)) AS highest
FROM kanon.profile_values
WHERE value NOT IN (SELECT unnest($spellings))
GROUP BY position
