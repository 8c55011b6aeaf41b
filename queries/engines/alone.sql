-- Rows of a share of the table, and those of them that are alone with their value in one column.
SELECT
    CAST(sum(row_count) AS BIGINT) AS looked_at,
    CAST(sum(CASE WHEN row_count = 1 THEN 1 ELSE 0 END) AS BIGINT) AS alone
FROM (
    SELECT out_key, count(*) AS row_count
    FROM source
    WHERE random() < share
    GROUP BY out_key
) AS counted
