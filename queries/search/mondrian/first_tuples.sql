-- Answers: at first all distinct tuples are one partition, which is live along all dimensions: one bit for each.
-- Reads: frequency, the frequency table (this_position, row_count).
-- Takes: this_position, of each dimension the column of positions; $all_dimensions, one bit for each dimension.
-- Gives: the table open_tuples (part, this_position, row_count, live).
CREATE OR REPLACE TEMP TABLE open_tuples AS
SELECT CAST(0 AS UINTEGER) AS part, frequency.this_position, frequency.row_count, CAST($all_dimensions AS HUGEINT) AS live
FROM frequency
