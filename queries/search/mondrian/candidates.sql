-- The cuts that k allows, each partition's best first; their sides are judged by the other models in this order.
CREATE OR REPLACE TEMP TABLE candidates AS
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
QUALIFY place <= $most
