-- Answers: how many rows of one side match so many of the other.
-- Reads: counts, how often rows of one side match (matches, row_count).
-- Takes: $highs and $lows, the ends of the bins.
-- Gives: low, high, row_count.
SELECT buckets.low, buckets.high, CAST(sum(counts.row_count) AS BIGINT) AS row_count
FROM (SELECT unnest(CAST($lows AS BIGINT[])) AS low, unnest(CAST($highs AS BIGINT[])) AS high) AS buckets
JOIN counts ON counts.matches BETWEEN buckets.low AND buckets.high
GROUP BY buckets.low, buckets.high
ORDER BY buckets.low
