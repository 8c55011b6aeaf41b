-- Answers: a half without dimensions yet: all tuples are one there, and fall under one label, which loses nothing.
-- Reads: nothing.
-- Takes: nothing.
-- Gives: the table half_labels (tuple, label, shape, height, cost).
CREATE OR REPLACE TEMP TABLE half_labels AS
SELECT
    CAST(1 AS INTEGER) AS tuple,
    CAST(1 AS INTEGER) AS label,
    CAST(0 AS UBIGINT) AS shape,
    CAST(0 AS INTEGER) AS height,
    CAST(0 AS DOUBLE) AS cost
