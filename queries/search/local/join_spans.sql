-- Answers: each waiting tuple with each class: what the class would span with it.
-- Reads: class_costs, the classes with their spans and losses (part, size, cost, this_low, this_high); cells, the
-- distinct tuples, numbered (this_position, cell); rest, the tuples that had no class (cell, row_count); joined, the
-- classes with those that joined them (cell).
-- Takes: this_high and this_low, of each dimension the least and the greatest position; this_position, of each
-- dimension the column of positions.
-- Gives: cell, row_count, part, size, old_cost, this_low, this_high.
WITH newcomers AS (
    SELECT rest.cell, rest.row_count, CAST(cells.this_position AS BIGINT) AS this_position
    FROM cells
    JOIN rest ON rest.cell = cells.cell
    ANTI JOIN joined ON joined.cell = rest.cell
)
SELECT
    newcomers.cell,
    newcomers.row_count,
    class_costs.part,
    class_costs.size,
    class_costs.cost AS old_cost,
    least(class_costs.this_low, newcomers.this_position) AS this_low,
    greatest(class_costs.this_high, newcomers.this_position) AS this_high
FROM class_costs
CROSS JOIN newcomers
