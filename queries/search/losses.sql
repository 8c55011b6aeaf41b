-- What the classes cost: units of loss of each dimension, in rows.
SELECT sum(released_classes.row_count * released_classes.this_cost) AS this_cost
FROM released_classes
