-- Answers: of every column how many rows have blanks around their values, how many distinct values there are without
-- them, and how many without regard to case too.
-- Reads: profile_values, the distinct values of all columns (position, value, row_count).
-- Takes: nothing.
-- Gives: position, blank_rows, trimmed_values, folded_values.
SELECT
    position,
    CAST(coalesce(sum(row_count) FILTER (WHERE trim(value) <> value), 0) AS BIGINT) AS blank_rows,
    count(DISTINCT trim(value)) AS trimmed_values,
    count(DISTINCT lower(trim(value))) AS folded_values
FROM kanon.profile_values
GROUP BY position
