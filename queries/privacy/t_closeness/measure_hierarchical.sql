-- Answers: how far the values of each class are from those of all rows, in a hierarchy of height H: values are moved
-- along its edges, each 1 / 2H long. Across the edge above a node moves what the shares below the node differ by.
-- Reads: shares (the classes' quasi-identifiers, value, share, expected: that of all rows), steps (value, level, node
-- above it), reference (value, share).
-- Takes: $t, the most; $height of the hierarchy.
-- Gives: each class with its measure, and whether that violates the threshold.
SELECT qi_value, measure, measure > $t + 1e-9 AS violates
FROM (
    SELECT
        qi_value,
        sum(abs(share - expected) - expected) / (2 * $height) + CAST(0.5 AS DOUBLE) AS measure
    FROM (
        SELECT shares.qi_value, steps.level, steps.node, sum(shares.share) AS share, any_value(nodes.share) AS expected
        FROM shares
        JOIN steps ON steps.value IS NOT DISTINCT FROM CAST(shares.value AS VARCHAR)
        JOIN (
            SELECT steps.level, steps.node, sum(reference.share) AS share
            FROM reference
            JOIN steps ON steps.value IS NOT DISTINCT FROM reference.value
            GROUP BY steps.level, steps.node
        ) AS nodes ON nodes.level = steps.level AND nodes.node = steps.node
        GROUP BY shares.qi_value, steps.level, steps.node
    ) AS on_the_way
    GROUP BY qi_value
) AS measured
