-- Rows that are alone with their value in one column.
SELECT count(*) AS alone
FROM (
    SELECT source.out_key
    FROM source
    GROUP BY source.out_key
    HAVING count(*) = 1
) AS single
