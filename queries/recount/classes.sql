-- What was written, counted again: rows, equivalence classes, the smallest and the largest of them. Where rows were
-- masked, those with * in every quasi-identifier are counted apart.
SELECT
    CAST(coalesce(sum(size), 0) AS BIGINT) AS released_rows,
    count(CASE WHEN NOT starred THEN 1 END) AS classes,
    coalesce(min(CASE WHEN NOT starred THEN size END), 0) AS smallest,
    coalesce(max(CASE WHEN NOT starred THEN size END), 0) AS largest,
    CAST(coalesce(sum(CASE WHEN starred THEN size END), 0) AS BIGINT) AS starred_rows,
    count(CASE WHEN size < $k THEN 1 END) AS violating_classes,
    CAST(coalesce(sum(CASE WHEN size < $k THEN size END), 0) AS BIGINT) AS violating_rows,
    count(CASE WHEN size = 1 THEN 1 END) AS unique_rows
FROM (
    SELECT
        count(*) AS size,
        $apart AND ALL_OF(coalesce(CAST(qi_value AS VARCHAR), '') = '*') AS starred
    FROM written
    GROUP BY qi_value
) AS classes
