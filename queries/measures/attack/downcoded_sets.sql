-- Answers: of one dimension of texts without hierarchy, the cells of each class that its set tells: each member is in
-- it.
-- Reads: assigned, the tuples of each class (part, this_position).
-- Takes: this_position, the column of positions.
-- Gives: part; cells, 0 where the set is one value.
SELECT part, CASE WHEN count(DISTINCT this_position) > 1 THEN count(DISTINCT this_position) ELSE 0 END AS cells
FROM assigned
GROUP BY part
