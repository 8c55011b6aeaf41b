-- Answers: the tuples of each class with what the class loses a row, and whether they are all that it holds.
-- Reads: members, the tuples of each class, with their rows there (part, cell, row_count); class_costs, the classes
-- with their spans and losses (part, size, cost).
-- Takes: nothing.
-- Gives: the table standing (part, cell, row_count, size, cost, is_alone).
CREATE OR REPLACE TEMP TABLE standing AS
SELECT
    members.part,
    members.cell,
    members.row_count,
    class_costs.size,
    class_costs.cost,
    members.row_count = class_costs.size AS is_alone
FROM members
JOIN class_costs ON class_costs.part = members.part
