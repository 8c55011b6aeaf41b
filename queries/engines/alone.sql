-- Answers: does a column of a table in another engine tell single rows apart? Rows of a share of the table, and those
--   of them that are alone with their value. Values are compared as texts: some types, as json, have no equality.
-- Reads: source (out_key), the whole table.
-- Takes: share, of the rows that are drawn at random; out_key, the key of the column.
-- Gives: looked_at, the rows drawn; alone, those that are alone with their value among them; NULL without a row.
SELECT
    CAST(sum(row_count) AS BIGINT) AS looked_at,
    CAST(sum(CASE WHEN row_count = 1 THEN 1 ELSE 0 END) AS BIGINT) AS alone
FROM (
    SELECT count(*) AS row_count
    FROM source
    WHERE random() < share
    GROUP BY CAST(out_key AS VARCHAR)
) AS counted
