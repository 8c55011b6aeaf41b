-- Answers: the labels of one quasi-identifier in the release with their rows.
-- Reads: tuples, the distinct rows of the release with their number (this_text, row_count).
-- Takes: this_text, the column of the quasi-identifier's labels.
-- Gives: the table page_label_counts (label, row_count).
CREATE OR REPLACE TEMP TABLE kanon.page_label_counts AS
SELECT this_text AS label, CAST(sum(row_count) AS BIGINT) AS row_count
FROM tuples
GROUP BY this_text
