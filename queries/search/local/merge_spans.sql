-- Answers: each class with the tuples left over: what they would span together.
-- Reads: class_costs, the classes with their spans and losses (all columns).
-- Takes: this_high and this_low, of each dimension the least and the greatest position.
-- Gives: part, size, old_cost, left_size, this_low, this_high.
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
