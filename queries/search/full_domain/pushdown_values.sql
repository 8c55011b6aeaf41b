-- Answers: which values of one column are there, and how many rows have each? Hierarchies and bounds of the loss need
--   no more of the combinations that stay in the engine that holds the rows.
-- Reads: source, the combinations (out_key, row_count).
-- Takes: out_key, the key of the column.
-- Gives: the column under its key, and row_count.
SELECT
    out_key,
    CAST(sum(row_count) AS BIGINT) AS row_count
FROM source
GROUP BY out_key
