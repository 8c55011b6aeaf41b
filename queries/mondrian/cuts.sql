-- The cut of each open partition that has one: the best by its score, then the most even one, along the first
-- dimension, behind the median rather than before it. A dimension stays live while some cut along it is allowable:
-- what cannot be cut in a partition cannot be cut in a part of it.
CREATE OR REPLACE TEMP TABLE cuts AS
SELECT
    part,
    row_number() OVER (ORDER BY part) - 1 AS number,
    best.dimension AS dimension,
    best.low AS low,
    best.high AS high,
    this_live
FROM (
    SELECT
        part,
        max(
            CASE WHEN eligible THEN
                {
                    'score': cut_score,
                    'evenness': cut_evenness,
                    'first': -dimension,
                    'preference': preference,
                    'high': high,
                    'low': low,
                    'dimension': dimension
                }
            END
        ) AS best,
        bool_or(dimension = this_number) AS this_live
    FROM allowable_cuts
    GROUP BY part
) AS chosen
WHERE best IS NOT NULL
