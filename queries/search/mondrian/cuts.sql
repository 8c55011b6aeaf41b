-- Answers: the cut of each open partition that has one: the best by its score, then the most even one, along the first
-- dimension, behind the median rather than before it. A dimension stays live while some cut along it is allowable: what
-- cannot be cut in a partition cannot be cut in a part of it.
-- Reads: allowable_cuts, the cuts that leave k rows on both sides (part, row_count, dimension, preference, high, low,
-- left_rows).
-- Takes: cut_evenness and cut_score, expressions that order the cuts, the greatest first; eligible, which cuts may be
-- made.
-- Gives: the table cuts (part, number, dimension, low, high, left_rows, row_count, live).
CREATE OR REPLACE TEMP TABLE cuts AS
SELECT
    part,
    row_number() OVER (ORDER BY part) - 1 AS number,
    best.dimension AS dimension,
    best.low AS low,
    best.high AS high,
    best.left_rows AS left_rows,
    row_count,
    live
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
                    'dimension': dimension,
                    'left_rows': left_rows
                }
            END
        ) AS best,
        any_value(row_count) AS row_count,
        bit_or(CAST(1 AS HUGEINT) << dimension) AS live
    FROM allowable_cuts
    GROUP BY part
) AS chosen
WHERE best IS NOT NULL
