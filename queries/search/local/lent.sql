-- Answers: as many of these rows as the tuples left over lack, the cheapest first.
-- Reads: lenders, the rows that tuples can spare; rest, the tuples without a class (row_count).
-- Takes: $k, the fewest rows of a class.
-- Gives: the table lent (cell, part, row_count).
CREATE OR REPLACE TEMP TABLE lent AS
SELECT
    cell,
    part,
    least(can_lend, lacking - (CAST(sum(can_lend) OVER cheapest_first AS BIGINT) - can_lend)) AS row_count
FROM lenders
CROSS JOIN (SELECT $k - CAST(sum(row_count) AS BIGINT) AS lacking FROM rest) AS left_over
WINDOW cheapest_first AS (ORDER BY added, cell, part ROWS UNBOUNDED PRECEDING)
QUALIFY least(can_lend, lacking - (CAST(sum(can_lend) OVER cheapest_first AS BIGINT) - can_lend)) > 0
