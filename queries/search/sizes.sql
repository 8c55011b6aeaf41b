-- Answers: equivalence classes of the release: partitions whose labels are all the same are one.
-- Reads: released_classes, the classes with labels and losses (label_name, row_count).
-- Takes: classes, the classes by the least and the greatest position of each dimension; label_name, of each dimension
-- the column of labels.
-- Gives: classes, squares, partitions.
SELECT
    count(*) AS classes,
    CAST(coalesce(sum(CAST(row_count AS HUGEINT) * row_count), 0) AS HUGEINT) AS squares,
    coalesce(sum(partitions), 0) AS partitions
FROM (
    SELECT CAST(sum(row_count) AS BIGINT) AS row_count, count(*) AS partitions
    FROM released_classes
    GROUP BY label_name
) AS equivalence_classes
