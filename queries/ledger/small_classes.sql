-- The classes of what was written when all the columns that earlier releases published count as quasi-identifiers.
SELECT
    count(*) AS classes,
    CAST(coalesce(sum(row_count), 0) AS BIGINT) AS row_count
FROM (
    SELECT count(*) AS row_count
    FROM written
    GROUP BY known_key
) AS counted
WHERE row_count < $k
