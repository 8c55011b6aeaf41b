-- Answers: where each position of a dimension lies, in whole 2^-20ths of a standard deviation, so that sums are the
-- same in any order. A missing value lies at the mean and, along an axis of its own, away from all others.
-- Reads: places, the positions of the dimension (position, measure); scale, the mean and the standard deviation of its
-- values (mean, spread).
-- Takes: $weight, what differences along it count; $apart, how far a missing value is from others, in standard
-- deviations.
-- Gives: the table coordinates (position, coordinate, missing).
CREATE OR REPLACE TEMP TABLE coordinates AS
SELECT
    places.position,
    CASE
        WHEN places.position > 0 AND scale.spread > 0
            THEN round(sqrt($weight) * (places.measure * 4294967296 - scale.mean) / scale.spread * 1048576)
        ELSE 0.0
    END AS coordinate,
    CASE WHEN places.position = 0 THEN round(sqrt($weight) * $apart * 1048576) ELSE 0.0 END AS missing
FROM places
CROSS JOIN scale
