-- Answers: the released equivalence classes of nodes, those of k rows at least, and the units of loss of their rows.
-- Reads: classes, the statement that rolls them up (key, cost, size).
-- Takes: $k; places, how many bits of a key are below those of the node's levels; unit_name, what the units of a
-- quasi-identifier are called; unit_shift and unit_bits, where they stand in the cost; the holes that classes asks for.
-- Gives: levels (packed), released_classes, smallest, largest, released_squares, released (rows), the units of each
-- quasi-identifier; nothing of nodes that release no class.
SELECT
    classes.key >> places AS levels,
    count(*) AS released_classes,
    min(classes.size) AS smallest,
    max(classes.size) AS largest,
    sum(CAST(classes.size AS HUGEINT) * classes.size) AS released_squares,
    CAST(sum(classes.size) AS BIGINT) AS released,
    sum(classes.size * ((classes.cost >> unit_shift) & unit_bits)) AS unit_name
FROM classes
WHERE classes.size >= $k
GROUP BY classes.key >> places
