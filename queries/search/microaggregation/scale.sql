-- Answers: of one dimension the mean and the standard deviation of its values, missing ones left out. Measures are
-- counted in whole 2^-32ths, so that sums are the same in any order.
-- Reads: frequency, the frequency table (this_position, row_count); places, the positions of the dimension (position,
-- measure).
-- Takes: this_position, the column of positions.
-- Gives: the table scale (mean, spread), one row.
CREATE OR REPLACE TEMP TABLE scale AS
SELECT
    CAST(total AS DOUBLE) / present AS mean,
    sqrt(CAST(present * squares - total * total AS DOUBLE)) / present AS spread
FROM (
    SELECT
        CAST(sum(row_count) AS HUGEINT) AS present,
        CAST(sum(row_count * units) AS HUGEINT) AS total,
        CAST(sum(row_count * units * units) AS HUGEINT) AS squares
    FROM (
        SELECT
            CAST(frequency.row_count AS HUGEINT) AS row_count,
            CAST(round(places.measure * 4294967296) AS HUGEINT) AS units
        FROM kanon.frequency
        JOIN places ON places.position = frequency.this_position
        WHERE frequency.this_position > 0
    ) AS measured
) AS summed
