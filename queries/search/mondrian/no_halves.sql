-- Answers: the table of relaxed cuts, one for each open partition and each dimension along which its rows differ;
-- empty. Left are the rows below `low`, right those above `high`; of those between, which tie at the median,
-- `left_of_tie` go left.
-- Reads: nothing.
-- Takes: nothing.
-- Gives: the table halves (part, dimension, low, high, left_of_tie, row_count, width, gain).
CREATE OR REPLACE TEMP TABLE halves (
    part UINTEGER,
    dimension INTEGER,
    low BIGINT,
    high BIGINT,
    left_of_tie BIGINT,
    row_count BIGINT,
    width DOUBLE,
    gain DOUBLE
)
