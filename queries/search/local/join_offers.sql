-- Answers: the class that each waiting tuple makes dearer by least.
-- Reads: costed, spans of positions with what they lose (cell, row_count, part, cost, size, old_cost).
-- Takes: nothing.
-- Gives: the table join_offers (cell, row_count, best).
CREATE OR REPLACE TEMP TABLE join_offers AS
SELECT
    cell,
    any_value(row_count) AS row_count,
    min({'added': (size + row_count) * cost - size * old_cost, 'part': part, 'cost': cost}) AS best
FROM costed
GROUP BY cell
