-- The values of one quasi-identifier one level below what is released, as codes; NULL where the released value holds
-- only one of them, so that there is nothing left to tell.
CREATE OR REPLACE TEMP TABLE finer AS
SELECT
    value,
    CASE
        WHEN min(finer_code) OVER (PARTITION BY coarser_code) < max(finer_code) OVER (PARTITION BY coarser_code)
            THEN finer_code
    END AS code
FROM domain
