-- Answers: how many classes does a table hold of each node?
-- Reads: rolled, the classes of nodes (key).
-- Takes: places, how many bits of a key are below those of the node's levels.
-- Gives: the packed levels and the classes of each node, by rising levels.
SELECT rolled.key >> places AS levels, count(*) AS class_count
FROM rolled
GROUP BY rolled.key >> places
ORDER BY levels
