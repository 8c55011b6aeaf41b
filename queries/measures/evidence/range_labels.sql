-- Answers: the labels of one quasi-identifier without hierarchy, as those of two tables that are linked.
-- Reads: page_label_counts, the labels of the release with their rows (label, row_count).
-- Takes: nothing.
-- Gives: the table labels (code, label, bare, row_count).
CREATE OR REPLACE TEMP TABLE labels AS
SELECT
    row_number() OVER (ORDER BY label) AS code,
    label,
    regexp_replace(label, ' or missing$', '') AS bare,
    row_count
FROM kanon.page_label_counts
