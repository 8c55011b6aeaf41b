-- Answers: the labels of one quasi-identifier whose classes have levels of their own: the node that each stands for. A
-- label that several levels have is that of the lowest of them where it stands for the same values there, else of the
-- highest. A * that no node is called is the top: missing values are among others there.
-- Reads: page_label_counts, the labels of the release with their rows (label, row_count); nodes, the nodes of a
-- hierarchy (level, node, label, cost).
-- Takes: missing_position, the position of missing values; top_level, the level of the top; level_shift, of each level
-- the shift of a position to its node there.
-- Gives: the table page_known (label, row_count, level, node); without level a label is none of the hierarchy's.
CREATE OR REPLACE TEMP TABLE kanon.page_known AS
SELECT
    label,
    row_count,
    CASE
        WHEN label IS NULL THEN 0
        WHEN highest IS NULL AND label = '*' THEN top_level
        WHEN is_one THEN lowest
        ELSE highest
    END AS level,
    CASE
        WHEN label IS NULL THEN missing_position
        WHEN highest IS NULL AND label = '*' THEN 0
        WHEN is_one THEN low_node
        ELSE high_node
    END AS node
FROM (
    SELECT
        released.label,
        released.row_count,
        found.lowest,
        found.highest,
        found.low_node,
        found.high_node,
        found.low_cost = found.high_cost
        AND found.low_node >> ([LIST_OF(level_shift)][found.highest + 1] - [LIST_OF(level_shift)][found.lowest + 1])
        = found.high_node AS is_one
    FROM kanon.page_label_counts AS released
    LEFT JOIN (
        SELECT
            label,
            min(level) AS lowest,
            max(level) AS highest,
            arg_min(node, level) AS low_node,
            arg_max(node, level) AS high_node,
            arg_min(cost, level) AS low_cost,
            arg_max(cost, level) AS high_cost
        FROM nodes
        WHERE label IS NOT NULL
        GROUP BY label
    ) AS found ON found.label = released.label
) AS named
