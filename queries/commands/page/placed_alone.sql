-- Answers: the labels of one quasi-identifier of which nothing is known but their rows.
-- Reads: label_counts, the labels of the release with their rows (label, row_count).
-- Takes: nothing.
-- Gives: the table placed (label, row_count, code, place, source_rows).
CREATE OR REPLACE TEMP TABLE placed AS
SELECT
    label,
    row_count,
    CAST(NULL AS BIGINT) AS code,
    CAST(NULL AS DOUBLE) AS place,
    CAST(0 AS BIGINT) AS source_rows
FROM label_counts
