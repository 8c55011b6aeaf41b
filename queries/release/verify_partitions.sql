-- Classes of the release whose labels or sizes, counted in what was written, are not those that the search made.
WITH written_classes AS (
    SELECT coalesce(CAST(label_key AS VARCHAR), '') AS label_name, CAST(sum(row_count) AS BIGINT) AS row_count
    FROM (
        SELECT label_key, row_total AS row_count
        FROM written
        GROUP BY label_key
    ) AS counted
    GROUP BY coalesce(CAST(label_key AS VARCHAR), '')
),
made_classes AS (
    SELECT coalesce(CAST(label_name AS VARCHAR), '') AS label_name, CAST(sum(row_count) AS BIGINT) AS row_count
    FROM released_classes
    GROUP BY coalesce(CAST(label_name AS VARCHAR), '')
)
SELECT count(*) AS differences
FROM (
    (SELECT label_name, row_count FROM written_classes EXCEPT SELECT label_name, row_count FROM made_classes)
    UNION ALL
    (SELECT label_name, row_count FROM made_classes EXCEPT SELECT label_name, row_count FROM written_classes)
) AS differing
