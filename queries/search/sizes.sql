-- Equivalence classes of the release: partitions whose labels are all the same are one.
SELECT
    count(*) AS classes,
    CAST(coalesce(sum(CAST(row_count AS HUGEINT) * row_count), 0) AS HUGEINT) AS squares,
    coalesce(sum(partitions), 0) AS partitions
FROM (
    SELECT CAST(sum(row_count) AS BIGINT) AS row_count, count(*) AS partitions
    FROM released_classes
    GROUP BY label_name
) AS equivalence_classes
