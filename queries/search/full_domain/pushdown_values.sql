-- Answers: which values are there of one column, or of sensitive ones together, and how many rows have each?
--   Hierarchies, bounds of the loss and distributions need no more of the combinations that stay in the engine.
-- Reads: source, the combinations (out_key, row_count).
-- Takes: out_key, the key of each column.
-- Gives: the columns under their keys, and row_count.
SELECT
    out_key,
    CAST(sum(row_count) AS BIGINT) AS row_count
FROM source
GROUP BY out_key
