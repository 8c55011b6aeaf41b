-- Answers: how many classes of the release have other labels or sizes, counted in what was written, than those that the
-- search made.
-- Reads: written, what was written; released_classes, the classes made with their labels and row_count.
-- Takes: label_key and label_name, a label in what was written and in the classes made; row_total, how many rows a
-- group holds.
-- Gives: differences.
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
    FROM kanon.released_classes
    GROUP BY coalesce(CAST(label_name AS VARCHAR), '')
)
SELECT count(*) AS differences
FROM (
    (SELECT label_name, row_count FROM written_classes EXCEPT SELECT label_name, row_count FROM made_classes)
    UNION ALL
    (SELECT label_name, row_count FROM made_classes EXCEPT SELECT label_name, row_count FROM written_classes)
) AS differing
