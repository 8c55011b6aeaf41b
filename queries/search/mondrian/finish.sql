-- The tuples of partitions that cannot be cut again are put aside: where they are many, rounds are faster without them.
INSERT INTO assigned
SELECT part, this_position, row_count
FROM next_tuples
WHERE live = 0
