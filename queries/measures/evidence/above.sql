-- Answers: the labels of one level that lie above released ones, those of most rows first.
-- Reads: page_placed, the labels of the release by their codes (code, row_count); mapping, the mapping table
-- (level_code, above_label).
-- Takes: level_code, the column of the codes of the released level; above_label, the column of labels of the level;
-- $most, how many.
-- Gives: label, row_count.
SELECT CAST(ways.label AS VARCHAR) AS label, CAST(sum(page_placed.row_count) AS BIGINT) AS row_count
FROM kanon.page_placed
JOIN (SELECT DISTINCT level_code AS code, above_label AS label FROM mapping) AS ways ON ways.code = page_placed.code
WHERE ways.label IS NOT NULL
GROUP BY ways.label
ORDER BY row_count DESC, label
LIMIT $most
