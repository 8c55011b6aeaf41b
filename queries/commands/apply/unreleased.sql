-- Answers: the new rows that no earlier release of new rows holds: of each row text as many as are left, in no
--   order, for rows of one text are alike.
-- Reads: candidates, the rows that may be released (all columns); earlier, the row texts of each earlier release
--   (cell_name, row_count).
-- Takes: cell_name, of each released column its name; cell_text, the same of candidates.
-- Gives: the table unreleased (all columns of candidates).
CREATE OR REPLACE TEMP TABLE unreleased AS
WITH released AS (
    SELECT cell_name, sum(row_count) AS row_count
    FROM earlier
    GROUP BY cell_name
),

numbered AS (
    SELECT
        candidates.*,
        coalesce(released.row_count, 0) AS released,
        row_number() OVER (PARTITION BY [LIST_OF(cell_text)]) AS copy
    FROM candidates
    LEFT JOIN released ON released.cell_name IS NOT DISTINCT FROM cell_text
)

SELECT * EXCLUDE (released, copy)
FROM numbered
WHERE copy > released
