-- Answers: how many rows of a column are not read by how it is read, and the ends of those that are.
-- Reads: profile_values, the distinct values of all columns (position, value, row_count).
-- Takes: parsed_value, a value as it is read, NULL where that cannot be; $position, the column; $spellings, its texts
-- that are missing.
-- Gives: unfit, lowest, highest.
SELECT
    CAST(coalesce(sum(row_count) FILTER (WHERE parsed_value IS NULL), 0) AS BIGINT) AS unfit,
    min(parsed_value) AS lowest,
    max(parsed_value) AS highest
FROM kanon.profile_values
WHERE position = $position AND value NOT IN (SELECT unnest($spellings))
