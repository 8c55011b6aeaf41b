-- Answers: what each label stands for, as runs of ranks from a first to a last one. * stands for everything; a label
-- that stands for no value of the source is a value of its own behind them.
-- Reads: labels, the labels of one column of the release (code, label); points, the values that each label stands for
-- (code, rank); span_runs, those of ranges (code, first, last); ranks, the domain of one column rank by rank (rank).
-- Takes: $generalized, whether * stands for everything.
-- Gives: the table runs (code, first, last).
CREATE OR REPLACE TEMP TABLE runs AS
SELECT code, min(rank) AS first, max(rank) AS last
FROM (
    SELECT code, rank, rank - row_number() OVER (PARTITION BY code ORDER BY rank) AS island
    FROM (
        SELECT points.code, points.rank
        FROM points
        JOIN labels ON labels.code = points.code
        WHERE NOT ($generalized AND labels.label IS NOT DISTINCT FROM '*')
    ) AS known
) AS islands
GROUP BY code, island
UNION ALL
SELECT code, first, last
FROM span_runs
UNION ALL
SELECT labels.code, 0 AS first, (SELECT max(rank) FROM ranks) AS last
FROM labels
WHERE $generalized AND labels.label = '*'
