-- Answers: of every column how many distinct values there are, in how many rows, how many rows are alone with theirs,
-- and how long they are. Missing values are left out.
-- Reads: profile_values, the distinct values of all columns (position, value, row_count).
-- Takes: $positions and $spellings, pair by pair, what is missing in a column.
-- Gives: position, distinct_values, counted_rows, alone, shortest, longest.
SELECT
    position,
    count(*) AS distinct_values,
    CAST(sum(row_count) AS BIGINT) AS counted_rows,
    count(*) FILTER (WHERE row_count = 1) AS alone,
    min(length(value)) AS shortest,
    max(length(value)) AS longest
FROM kanon.profile_values
WHERE (position, value) NOT IN (SELECT (unnest($positions), unnest($spellings)))
GROUP BY position
