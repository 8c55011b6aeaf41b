-- Answers: the nearest released classes of everybody who is looked for: those that stand for him, or else those at the
-- least distance; of several those whose labels stand for least.
-- Reads: pairs, the classes that stand for somebody (target, node); far, the classes nearest to those for whom none
-- stands (target, node); classes, the released classes (known_code, last_node); known_widths, of each column how much
-- its labels stand for (code, width).
-- Takes: known_code, of each column its codes; known_widths, of each column the widths of its labels; last_node, the
-- name of a class.
-- Gives: the table near (target, node).
CREATE OR REPLACE TEMP TABLE near AS
SELECT target, node
FROM (
    SELECT target, node, width, min(width) OVER (PARTITION BY target) AS least_width
    FROM (
        SELECT found.target, found.node, round(SUM_OF(known_widths.width), 6) AS width
        FROM (
            SELECT target, node FROM pairs
            UNION ALL
            SELECT target, node FROM far
        ) AS found
        JOIN classes ON classes.last_node = found.node
        JOIN known_widths ON known_widths.code = classes.known_code
    ) AS sized
) AS ranked
WHERE width = least_width
