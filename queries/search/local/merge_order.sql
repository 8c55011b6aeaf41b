-- Answers: the classes in the order in which they are joined with the tuples left over: those first that add least, a
-- row.
-- Reads: costed, spans of positions with what they lose (part, size, cost, old_cost, left_size).
-- Takes: nothing.
-- Gives: the table merge_order (part, place).
CREATE OR REPLACE TEMP TABLE merge_order AS
SELECT
    part,
    row_number() OVER (ORDER BY ((size + left_size) * cost - size * old_cost) / size, part) AS place
FROM costed
