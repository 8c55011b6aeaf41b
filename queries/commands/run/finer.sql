-- Answers: the values of one quasi-identifier one level below what is released, as codes; NULL where the released value
-- holds only one of them, so that there is nothing left to tell.
-- Reads: domain, the distinct values of a column (value, finer_code, coarser_code).
-- Takes: coarser_code and finer_code, the codes at a level and at one below.
-- Gives: the table finer (value, code).
CREATE OR REPLACE TEMP TABLE finer AS
SELECT
    value,
    CASE
        WHEN min(finer_code) OVER (PARTITION BY coarser_code) < max(finer_code) OVER (PARTITION BY coarser_code)
            THEN finer_code
    END AS code
FROM domain
