-- Answers: the labels of one quasi-identifier by the levels that they are of, the most frequent ones by name.
-- Reads: page_known, the labels of the release with their levels (label, level, row_count).
-- Takes: $most, how many are named.
-- Gives: level, row_total, labels.
SELECT
    level,
    CAST(sum(row_count) AS BIGINT) AS row_total,
    list(label ORDER BY row_count DESC, label) FILTER (label IS NOT NULL)[1:$most] AS labels
FROM kanon.page_known
WHERE level IS NOT NULL
GROUP BY level
ORDER BY level
