-- The finished partitions, by their tuples; empty yet.
CREATE OR REPLACE TEMP TABLE assigned AS
SELECT part, this_position, row_count
FROM open_tuples
WHERE FALSE
