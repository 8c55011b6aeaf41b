-- Answers: the labels of one quasi-identifier in the release: how many, their rows, the most frequent ones.
-- Reads: page_label_counts, the labels of the release with their rows (label, row_count).
-- Takes: $most, how many are named.
-- Gives: labels, row_total, samples.
SELECT
    count(*) AS labels,
    CAST(coalesce(sum(row_count), 0) AS BIGINT) AS row_total,
    list(label ORDER BY row_count DESC, label) FILTER (label IS NOT NULL)[1:$most] AS samples
FROM kanon.page_label_counts
