-- Answers: the rows that distinct combinations stand for, one by one: a weight is a row's own.
-- Reads: source, the distinct combinations with their rows (out_key, row_count).
-- Takes: out_key, of each column its key.
-- Gives: out_key.
SELECT out_key
FROM source
CROSS JOIN LATERAL (SELECT unnest(range(row_count))) AS rows_of
