-- Answers: one dimension: what all rows lose together when they are released at one level, and the rows of its smallest
-- node.
-- Reads: ancestors, the nodes of a dimension above each position (level, number, position, cost); cells, the distinct
-- tuples, numbered (this_position, row_count).
-- Takes: this_position, of each dimension the column of positions.
-- Gives: level, cost, smallest.
WITH present AS (
    SELECT CAST(this_position AS BIGINT) AS position, CAST(sum(row_count) AS BIGINT) AS row_count
    FROM cells
    GROUP BY this_position
),
nodes AS (
    SELECT ancestors.level, any_value(ancestors.cost) AS cost, sum(present.row_count) AS row_count
    FROM ancestors
    JOIN present ON present.position = ancestors.position
    GROUP BY ancestors.level, ancestors.number
)
SELECT level, sum(row_count * cost) AS cost, min(row_count) AS smallest
FROM nodes
GROUP BY level
ORDER BY level
