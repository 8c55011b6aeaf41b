-- Answers: a sample of the distinct values of every column that no order or frequency decides: about as many as asked.
-- Reads: profile_values, the distinct values of all columns (position, value, row_count).
-- Takes: $positions, the columns; $most, the values of each; $spellings, texts that are likely missing and left out.
-- Gives: the table profile_sample (position, value, row_count).
CREATE OR REPLACE TEMP TABLE profile_sample AS
WITH sizes AS (
    SELECT position, greatest(1, count(*) // $most) AS step
    FROM profile_values
    WHERE position IN (SELECT unnest($positions))
    GROUP BY position
)
SELECT value.position, trim(left(value.value, 2000)) AS value, value.row_count
FROM profile_values AS value
JOIN sizes ON sizes.position = value.position
WHERE hash(value.value, 17) % sizes.step = 0
    AND value.value NOT IN (SELECT unnest($spellings))
