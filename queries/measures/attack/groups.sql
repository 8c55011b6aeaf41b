-- Answers: what has to be guessed of a column: its value, or of numbers and dates of more than $most values the
-- twentieth of the rows that it lies in; a missing value is one of its own.
-- Reads: ranks, the domain of the column rank by rank (rank, is_missing, row_count).
-- Takes: $most, how many values are guessed one by one; $ordered, whether the values are numbers or dates.
-- Gives: the table groups (rank, secret).
CREATE OR REPLACE TEMP TABLE groups AS
SELECT
    rank,
    CASE
        WHEN NOT $ordered OR is_missing OR count(*) OVER () <= $most THEN rank
        ELSE -1 - CAST(floor(
            $most * (sum(row_count) OVER (ORDER BY rank) - row_count / 2.0)
            / (sum(row_count) OVER () + 1)
        ) AS BIGINT)
    END AS secret
FROM ranks
