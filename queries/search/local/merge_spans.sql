-- Each class with the tuples left over: what they would span together.
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
