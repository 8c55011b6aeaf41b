-- Answers: how many distinct values one column has on one side, how many of them match nothing on the other, and their
-- rows.
-- Reads: labels, the distinct values of one side (code, row_count); signatures, the signatures of values of one side
-- (code).
-- Takes: nothing.
-- Gives: values, unmatched_values, unmatched_rows.
SELECT
    count(*) AS values,
    count(CASE WHEN signatures.code IS NULL THEN 1 END) AS unmatched_values,
    CAST(coalesce(sum(CASE WHEN signatures.code IS NULL THEN labels.row_count END), 0) AS BIGINT) AS unmatched_rows
FROM labels
LEFT JOIN signatures ON signatures.code = labels.code
