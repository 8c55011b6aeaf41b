-- Rows of a share of the table, and those of them that are alone with their value in one column. Values are
-- compared as texts: some types, as json, have no equality.
SELECT
    CAST(sum(row_count) AS BIGINT) AS looked_at,
    CAST(sum(CASE WHEN row_count = 1 THEN 1 ELSE 0 END) AS BIGINT) AS alone
FROM (
    SELECT count(*) AS row_count
    FROM source
    WHERE random() < share
    GROUP BY CAST(out_key AS VARCHAR)
) AS counted
