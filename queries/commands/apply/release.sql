-- The new release: of each row text as many rows as were decided on, in no order: rows of one text are alike.
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
