-- Answers: each waiting tuple asks the class that it makes dearer by least; each class takes the one that makes it
-- dearer by least, and those with which it then loses as much a row.
-- Reads: class_costs, the classes with their spans and losses (part, size, cost, this_low, this_high); cells, the
-- distinct tuples, numbered (this_position, cell); rest, the tuples that had no class (cell, row_count); joined, the
-- classes with those that joined them (cell); costed, each waiting tuple with each class, and what both lose together
-- (cell, row_count, part, size, cost, old_cost).
-- Takes: this_high and this_low, of each dimension the least and the greatest position; this_position, of each
-- dimension the column of positions.
-- Gives: further rows of the table joined (part, cell, row_count).
INSERT INTO joined
WITH newcomers AS (
    SELECT rest.cell, rest.row_count, CAST(cells.this_position AS BIGINT) AS this_position
    FROM cells
    JOIN rest ON rest.cell = cells.cell
    ANTI JOIN joined ON joined.cell = rest.cell
),
spanned AS (
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
),
asked AS (
    SELECT
        cell,
        any_value(row_count) AS row_count,
        min({'added': (size + row_count) * cost - size * old_cost, 'part': part, 'cost': cost}) AS best
    FROM costed
    GROUP BY cell
)
SELECT best.part, cell, row_count
FROM asked
QUALIFY best.cost = struct_extract(min(best) OVER (PARTITION BY best.part), 'cost')
