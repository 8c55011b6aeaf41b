-- Answers: the labels of a column of the release with their numbers: for each the mean of the values that it stands
-- for, between 0 and 1, missing ones left out.
-- Reads: labels, the labels of one column of the release (code, value); runs, what each label stands for as runs of
-- ranks (code, first, last); ranks, the domain of one column rank by rank (rank, measure).
-- Takes: nothing.
-- Gives: the table codes (value, code, x).
CREATE OR REPLACE TEMP TABLE codes AS
SELECT labels.value, labels.code, means.x
FROM labels
LEFT JOIN (
    SELECT
        runs.code,
        sum(CASE
            WHEN runs.first = runs.last THEN coalesce(below.measure, 0)
            ELSE through.so_far - below.so_far + coalesce(below.measure, 0)
        END) / nullif(sum(through.present - below.present + CASE WHEN below.measure IS NULL THEN 0 ELSE 1 END), 0) AS x
    FROM runs
    JOIN (
        SELECT
            rank,
            measure,
            sum(coalesce(measure, 0)) OVER (ORDER BY rank) AS so_far,
            count(measure) OVER (ORDER BY rank) AS present
        FROM ranks
    ) AS below ON below.rank = runs.first
    JOIN (
        SELECT
            rank,
            sum(coalesce(measure, 0)) OVER (ORDER BY rank) AS so_far,
            count(measure) OVER (ORDER BY rank) AS present
        FROM ranks
    ) AS through ON through.rank = runs.last
    GROUP BY runs.code
) AS means ON means.code = labels.code
