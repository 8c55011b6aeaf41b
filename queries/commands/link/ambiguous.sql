-- Rows of the source that may stand behind several combined tuples, and are counted for each.
SELECT CAST(coalesce(sum(row_count), 0) AS BIGINT) AS ambiguous
FROM (
    SELECT number, any_value(row_count) AS row_count
    FROM origins
    GROUP BY number
    HAVING count(*) > 1
) AS several
