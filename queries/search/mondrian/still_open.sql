-- The tuples of the partitions that may be cut again.
CREATE OR REPLACE TEMP TABLE open_tuples AS
SELECT part, this_position, row_count, live
FROM next_tuples
WHERE live <> 0
