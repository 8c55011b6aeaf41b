-- All tuples that are left are finished: no cut is allowable any more, or time ran out.
INSERT INTO assigned
SELECT part, this_position, row_count
FROM open_tuples
