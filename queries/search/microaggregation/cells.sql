-- Answers: the distinct tuples, numbered, and the strata that they are in, numbered as well.
-- Reads: frequency, the frequency table (this_position, row_count).
-- Takes: stratum_position, of each dimension of the strata the column of positions; this_position, of each dimension
-- the column of positions.
-- Gives: the table cells (cell, this_position, row_count, stratum).
CREATE OR REPLACE TEMP TABLE cells AS
SELECT
    CAST(row_number() OVER (ORDER BY LIST_OF(frequency.this_position)) AS INTEGER) AS cell,
    frequency.this_position,
    CAST(frequency.row_count AS BIGINT) AS row_count,
    CAST(dense_rank() OVER (ORDER BY TRUE, LIST_OF(frequency.stratum_position)) AS INTEGER) AS stratum
FROM kanon.frequency
