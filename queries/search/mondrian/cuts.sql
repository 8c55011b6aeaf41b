-- Answers: the cut of each open partition that has one: the best by its score, then the most even one, along the first
-- dimension, behind the median rather than before it. A dimension stays live while some cut along it is allowable: what
-- cannot be cut in a partition cannot be cut in a part of it. Only the cuts of the best score, which are few, are
-- compared in all that orders them.
-- Reads: allowable_cuts, the cuts that leave k rows on both sides (part, row_count, dimension, preference, high, low,
-- left_rows).
-- Takes: cut_evenness and cut_score, expressions that order the cuts, the greatest first; eligible, which cuts may be
-- made.
-- Gives: the table cuts (part, number, dimension, low, high, left_rows, row_count, live).
CREATE OR REPLACE TEMP TABLE cuts AS
WITH scored AS (
    SELECT part, dimension, max(CASE WHEN eligible THEN cut_score END) AS score, any_value(row_count) AS row_count
    FROM allowable_cuts
    GROUP BY part, dimension
),
ahead AS (
    SELECT
        part,
        max(score) AS score,
        any_value(row_count) AS row_count,
        CAST(sum(CAST(1 AS HUGEINT) << dimension) AS HUGEINT) AS live
    FROM scored
    GROUP BY part
)
SELECT
    part,
    row_number() OVER (ORDER BY part) - 1 AS number,
    dimension,
    low,
    high,
    left_rows,
    row_count,
    live
FROM (
    SELECT
        ahead.part,
        eligible_cuts.dimension,
        eligible_cuts.low,
        eligible_cuts.high,
        eligible_cuts.left_rows,
        ahead.row_count,
        ahead.live,
        row_number() OVER (
            PARTITION BY ahead.part
            ORDER BY
                eligible_cuts.evenness DESC,
                eligible_cuts.dimension,
                eligible_cuts.preference DESC,
                eligible_cuts.high DESC,
                eligible_cuts.low DESC
        ) AS place
    FROM (
        SELECT part, dimension, low, high, left_rows, preference, cut_score AS score, cut_evenness AS evenness
        FROM allowable_cuts
        WHERE eligible
    ) AS eligible_cuts
    JOIN ahead ON ahead.part = eligible_cuts.part AND ahead.score = eligible_cuts.score
) AS tried
WHERE place = 1
