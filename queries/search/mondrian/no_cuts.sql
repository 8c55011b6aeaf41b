-- Answers: the table of allowable cuts, empty. Left is every row whose position lies from `low` to `high`. The gain is
-- the loss saved, along this dimension, in rows.
-- Reads: nothing.
-- Takes: nothing.
-- Gives: the table allowable_cuts (part, dimension, low, high, left_rows, row_count, width, gain, preference).
CREATE OR REPLACE TEMP TABLE allowable_cuts (
    part UINTEGER,
    dimension INTEGER,
    low BIGINT,
    high BIGINT,
    left_rows BIGINT,
    row_count BIGINT,
    width DOUBLE,
    gain DOUBLE,
    preference INTEGER
)
