-- The tuples of the partitions that may be cut again, and along which dimensions.
CREATE OR REPLACE TEMP TABLE open_tuples AS
SELECT next_tuples.part, next_tuples.this_position, next_tuples.row_count, partitions.this_live
FROM next_tuples
JOIN partitions ON partitions.part = next_tuples.part
