-- Answers: the distinct tuples, numbered in an order that is as good as random: the first of them are a sample.
-- Reads: frequency, the frequency table (this_position, row_count).
-- Takes: this_position, of each dimension the column of positions.
-- Gives: the table cells (cell, this_position, row_count).
CREATE OR REPLACE TEMP TABLE cells AS
SELECT
    CAST(row_number() OVER (ORDER BY hash(LIST_OF(this_position)), LIST_OF(this_position)) AS INTEGER) AS cell,
    this_position,
    row_count
FROM frequency
