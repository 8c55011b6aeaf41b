-- Answers: the share of each value in all rows that a class is compared with. Where entities are counted, each pair of
-- entity and value counts once.
-- Reads: reference_rows, all rows: the sensitive value.
-- Takes: sensitive_value, the column of the values; holder_total, the number of rows, or of entities.
-- Gives: value, as text, and its share.
SELECT CAST(value AS VARCHAR) AS value, CAST(sum(row_count) AS DOUBLE) / sum(sum(row_count)) OVER () AS share
FROM (
    SELECT sensitive_value AS value, holder_total AS row_count
    FROM reference_rows
    GROUP BY sensitive_value
) AS values_there
GROUP BY CAST(value AS VARCHAR)
