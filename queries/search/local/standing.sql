-- Answers: the tuples of each class with what the class loses a row, and whether they are all that it holds; the class
-- as a label, with a number that no label has. Home is a class of the tuple alone.
-- Reads: members, the tuples of each class, with their rows there (part, cell, row_count); class_costs, the classes
-- with their spans and losses (part, size, cost).
-- Takes: nothing.
-- Gives: the table standing (part, label, cell, row_count, size, cost, is_alone, home).
CREATE OR REPLACE TEMP TABLE standing AS
SELECT
    members.part,
    CAST(-1 - members.part AS BIGINT) AS label,
    members.cell,
    members.row_count,
    class_costs.size,
    class_costs.cost,
    members.row_count = class_costs.size AS is_alone,
    min(CASE WHEN members.row_count = class_costs.size THEN members.part END) OVER (PARTITION BY members.cell) AS home
FROM members
JOIN class_costs ON class_costs.part = members.part
