-- At first all distinct tuples are one partition.
CREATE OR REPLACE TEMP TABLE open_tuples AS
SELECT CAST(0 AS UINTEGER) AS part, frequency.this_position, frequency.row_count, TRUE AS this_live
FROM frequency
