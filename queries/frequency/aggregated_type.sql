-- Answers: of which type the values of a column are in their order, and how far the numbers among them are from 0.
-- Reads: domain, the distinct values of a column (ordered).
-- Takes: nothing.
-- Gives: one row: described, most.
SELECT
    coalesce(min(typeof(ordered)), 'VARCHAR') AS described,
    max(abs(coalesce(try_cast(CAST(ordered AS VARCHAR) AS DOUBLE), 0.0))) AS most
FROM domain
