-- At first all distinct tuples are one partition, which is live along all dimensions: one bit for each.
CREATE OR REPLACE TEMP TABLE open_tuples AS
SELECT CAST(0 AS UINTEGER) AS part, frequency.this_position, frequency.row_count, CAST($all_dimensions AS HUGEINT) AS live
FROM frequency
