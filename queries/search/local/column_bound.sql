-- Answers: one hierarchy: what all rows lose in it at least, each at the cheapest node above it with enough rows.
-- Reads: cells, the distinct tuples, numbered (this_position, row_count); ancestors, the nodes of a dimension above
-- each position (position, number, cost).
-- Takes: this_position, of each dimension the column of positions; $k, the fewest rows of a class.
-- Gives: cost.
SELECT coalesce(sum(row_count * cost), 0) AS cost
FROM (
    SELECT position, any_value(row_count) AS row_count, min(cost) AS cost
    FROM (
        SELECT
            present.position,
            present.row_count,
            ancestors.cost,
            sum(present.row_count) OVER (PARTITION BY ancestors.number) AS below
        FROM (
            SELECT CAST(this_position AS BIGINT) AS position, sum(row_count) AS row_count
            FROM cells
            GROUP BY this_position
        ) AS present
        JOIN ancestors ON ancestors.position = present.position
    ) AS reached
    WHERE below >= $k
    GROUP BY position
) AS cheapest
