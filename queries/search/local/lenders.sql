-- Answers: how many rows of a tuple its class can spare, those first that would lose least, and what each would lose
-- more.
-- Reads: costed, spans of positions with what they lose (cell, part, cost, old_cost, row_count, spare).
-- Takes: nothing.
-- Gives: the table lenders (cell, part, added, can_lend).
CREATE OR REPLACE TEMP TABLE lenders AS
SELECT
    cell,
    part,
    cost - old_cost AS added,
    least(row_count, spare - (CAST(sum(row_count) OVER cheapest_first AS BIGINT) - row_count)) AS can_lend
FROM costed
WINDOW cheapest_first AS (PARTITION BY part ORDER BY cost - old_cost, cell ROWS UNBOUNDED PRECEDING)
QUALIFY can_lend > 0
