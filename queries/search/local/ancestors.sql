-- Answers: one dimension: the nodes above each of its values, each node with a number of its own.
-- Reads: costs, the nodes of a dimension with their losses (level, node, cost); cells, the distinct tuples, numbered
-- (this_position).
-- Takes: level_number, of each level its number; level_shift, of each level the shift of a position to its node there;
-- this_position, of each dimension the column of positions.
-- Gives: the table ancestors (position, number, level, cost).
CREATE OR REPLACE TEMP TABLE ancestors AS
SELECT reached.position, numbered.number, numbered.level, numbered.cost
FROM (
    SELECT
        position,
        unnest([LIST_OF(CAST(level_number AS INTEGER))]) AS level,
        unnest([LIST_OF(position >> level_shift)]) AS node
    FROM (SELECT DISTINCT CAST(this_position AS BIGINT) AS position FROM cells) AS present
) AS reached
JOIN (
    SELECT level, node, cost, CAST(row_number() OVER (ORDER BY level, node) AS INTEGER) AS number
    FROM costs
) AS numbered ON numbered.level = reached.level AND numbered.node = reached.node
