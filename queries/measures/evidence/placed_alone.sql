-- Answers: the labels of one quasi-identifier under which the source is not counted.
-- Reads: page_label_counts, the labels of the release with their rows (label, row_count).
-- Takes: label_place, where a label lies in order, NULL where there is none.
-- Gives: the table page_placed (label, row_count, code, place, source_rows).
CREATE OR REPLACE TEMP TABLE kanon.page_placed AS
SELECT
    label,
    row_count,
    CAST(-1 AS BIGINT) AS code,
    CAST(label_place AS DOUBLE) AS place,
    CAST(0 AS BIGINT) AS source_rows
FROM kanon.page_label_counts
