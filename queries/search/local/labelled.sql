-- Answers: the classes as labels, each with a number that no label has.
-- Reads: members, the tuples of each class, with their rows there (part, cell, row_count); class_costs, the classes
-- with what they lose (part, cost).
-- Takes: nothing.
-- Gives: the table labelled (label, cell, row_count, cost).
CREATE OR REPLACE TEMP TABLE labelled AS
SELECT CAST(-1 - members.part AS BIGINT) AS label, members.cell, members.row_count, class_costs.cost
FROM members
JOIN class_costs ON class_costs.part = members.part
