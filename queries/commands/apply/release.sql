-- Answers: the new release: of each row text as many rows as were decided on, in no order: rows of one text are alike.
-- Reads: candidates, the rows that may be released (all columns); cells, the row texts, numbered (all columns); quotas,
-- how many rows of each row text are released (quota, cell).
-- Takes: cell_name and out_name, of each released column its name; sort_key, the order of the release.
-- Gives: out_name.
SELECT picked.out_key AS out_name
FROM (
    SELECT
        candidates.*,
        decided.quota,
        row_number() OVER (PARTITION BY decided.cell) AS copy
    FROM candidates
    JOIN (
        SELECT cells.*, quotas.quota
        FROM cells
        JOIN quotas ON quotas.cell = cells.cell
    ) AS decided ON decided.cell_name IS NOT DISTINCT FROM cell_text
) AS picked
WHERE copy <= quota
ORDER BY sort_key
