-- Answers: all labels of one quasi-identifier together; a label that lies nowhere in its hierarchy, and is not that of
-- masked rows, is strange.
-- Reads: page_placed, the labels of the release (label, code, row_count, source_rows).
-- Takes: nothing.
-- Gives: labels, row_total, source_total, strange.
SELECT
    count(*) AS labels,
    CAST(coalesce(sum(row_count), 0) AS BIGINT) AS row_total,
    CAST(coalesce(sum(source_rows), 0) AS BIGINT) AS source_total,
    count(CASE WHEN code IS NULL AND label <> '*' THEN 1 END) AS strange
FROM kanon.page_placed
