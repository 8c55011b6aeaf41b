-- Answers: one hierarchy: of nodes above the same values the cheapest.
-- Reads: ancestors, the nodes of a dimension above each position (position, number, level, cost).
-- Takes: nothing.
-- Gives: the table distinct_ancestors (position, number, level, cost).
CREATE OR REPLACE TEMP TABLE distinct_ancestors AS
SELECT ancestors.position, ancestors.number, ancestors.level, ancestors.cost
FROM ancestors
SEMI JOIN (
    SELECT struct_extract(min({'cost': cost, 'number': number}), 'number') AS number
    FROM (
        SELECT number, any_value(cost) AS cost, min(position) AS low, max(position) AS high
        FROM ancestors
        GROUP BY number
    ) AS nodes
    GROUP BY low, high
) AS kept ON kept.number = ancestors.number
