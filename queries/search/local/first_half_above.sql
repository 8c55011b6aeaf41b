-- Answers: a half without dimensions yet: one label, which loses nothing.
-- Reads: nothing.
-- Takes: nothing.
-- Gives: the table half_above (tuple, label, shape, height, cost).
CREATE OR REPLACE TEMP TABLE half_above AS
SELECT
    CAST(1 AS INTEGER) AS tuple,
    CAST(1 AS BIGINT) AS label,
    CAST(0 AS UBIGINT) AS shape,
    CAST(0 AS INTEGER) AS height,
    CAST(0 AS DOUBLE) AS cost
