-- Answers: how far values of one column are from labels: 0 from those that stand for them; numbers and dates as far as
-- from the nearest value of the label, as a share of the range of the column; everything else 1.
-- Reads: lonely, those for whom no class stands (this_rank); candidates, the classes that they are compared with
-- (this_code); runs, what each label stands for as runs of ranks (code, first, last); ranks, the domain of the column
-- rank by rank (rank, measure).
-- Takes: this_code and this_rank, the columns of codes and of ranks; $ordered, whether the values are numbers or dates.
-- Gives: the table column_distances (rank, code, distance).
CREATE OR REPLACE TEMP TABLE column_distances AS
SELECT
    asked.rank,
    named.code,
    round(min(CASE
        WHEN asked.rank BETWEEN named.first AND named.last THEN 0.0
        WHEN $ordered THEN
            coalesce(least(abs(asked.measure - named.low), abs(asked.measure - named.high)), CAST(1 AS DOUBLE))
        ELSE CAST(1 AS DOUBLE)
    END), 9) AS distance
FROM (
    SELECT ranks.rank, ranks.measure
    FROM ranks
    JOIN (SELECT DISTINCT this_rank AS rank FROM lonely) AS missed ON missed.rank = ranks.rank
) AS asked
CROSS JOIN (
    SELECT runs.code, runs.first, runs.last, lows.measure AS low, highs.measure AS high
    FROM runs
    JOIN (SELECT DISTINCT this_code AS code FROM candidates) AS used ON used.code = runs.code
    LEFT JOIN ranks AS lows ON lows.rank = runs.first
    LEFT JOIN ranks AS highs ON highs.rank = runs.last
) AS named
GROUP BY asked.rank, named.code
