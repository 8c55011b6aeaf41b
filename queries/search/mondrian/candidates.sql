-- Answers: the cuts that k allows, each partition's best first; their sides are judged by the other models in this
-- order.
-- Reads: allowable_cuts, the cuts that leave k rows on both sides (part, dimension, low, high, preference).
-- Takes: cut_evenness and cut_score, expressions that order the cuts, the greatest first; eligible, which cuts may be
-- made; $most, how many candidates a partition has at most.
-- Gives: the table candidates (part, dimension, low, high, place).
CREATE OR REPLACE TEMP TABLE candidates AS
SELECT part, dimension, low, high, place
FROM (
    SELECT
        part,
        dimension,
        low,
        high,
        row_number() OVER (
            PARTITION BY part
            ORDER BY cut_score DESC, cut_evenness DESC, dimension, preference DESC, high DESC, low DESC
        ) AS place
    FROM allowable_cuts
    WHERE eligible
) AS in_order
WHERE place <= $most
