-- Answers: the classes in the order in which they are joined with the tuples left over: those first that add least, a
-- row.
-- Reads: class_costs, the classes with their spans and losses, the tuples left over being number 0 (all columns);
-- costed, each class together with these, and what both lose (part, size, cost, old_cost, left_size).
-- Takes: this_high and this_low, of each dimension the least and the greatest position.
-- Gives: the table merge_order (part, place).
CREATE OR REPLACE TEMP TABLE merge_order AS
WITH spanned AS (
    SELECT
        class_costs.part,
        class_costs.size,
        class_costs.cost AS old_cost,
        left_over.size AS left_size,
        least(class_costs.this_low, left_over.this_low) AS this_low,
        greatest(class_costs.this_high, left_over.this_high) AS this_high
    FROM class_costs
    CROSS JOIN (SELECT * FROM class_costs WHERE part = 0) AS left_over
    WHERE class_costs.part <> 0
)
SELECT
    part,
    row_number() OVER (ORDER BY ((size + left_size) * cost - size * old_cost) / size, part) AS place
FROM costed
