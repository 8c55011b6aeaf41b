-- Answers: which rows a Parquet file holds, whatever their order, as one number for all.
-- Reads: the Parquet file.
-- Takes: $url, the file.
-- Gives: one row (digest), the number of rows and the sum of their hashes.
SELECT concat_ws(' ', count(*), sum(hash(parquet_rows))) AS digest
FROM read_parquet($url) AS parquet_rows
