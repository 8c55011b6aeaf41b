-- Each waiting tuple with each class: what the class would span with it.
SELECT
    newcomers.cell,
    newcomers.row_count,
    class_costs.part,
    class_costs.size,
    class_costs.cost AS old_cost,
    least(class_costs.this_low, newcomers.this_position) AS this_low,
    greatest(class_costs.this_high, newcomers.this_position) AS this_high
FROM class_costs
CROSS JOIN (
    SELECT waiting.cell, waiting.row_count, CAST(cells.this_position AS BIGINT) AS this_position
    FROM cells
    JOIN waiting ON waiting.cell = cells.cell
) AS newcomers
