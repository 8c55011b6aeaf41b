-- Answers: does a column of a table in another engine tell single rows apart? Of rows that were drawn at random, those
--   that are alone with their value.
-- Reads: drawn (out_key), rows of a share of the table; values as texts: some types, as json, have no equality.
-- Takes: column_number, the number of the column among those that are asked about; out_key, its key.
-- Gives: place, that number; looked_at, the rows drawn; alone, those that are alone with their value; NULL without
--   a row.
SELECT
    column_number AS place,
    CAST(sum(row_count) AS BIGINT) AS looked_at,
    CAST(sum(CASE WHEN row_count = 1 THEN 1 ELSE 0 END) AS BIGINT) AS alone
FROM (
    SELECT count(*) AS row_count
    FROM drawn
    GROUP BY out_key
) AS counted
