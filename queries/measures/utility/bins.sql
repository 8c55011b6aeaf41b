-- Answers: the values of a column in at most $most bins, for all that is counted of several columns at once: each value
-- alone where they are no more than that; else ordered ones in bins of about as many rows, and of others the most
-- frequent alone and the rest together.
-- Reads: ranks, the domain of one column rank by rank (rank, row_count, is_missing).
-- Takes: $most, how many bins there may be; $ordered, whether the values have an order.
-- Gives: the table bins (rank, bin).
CREATE OR REPLACE TEMP TABLE bins AS
SELECT
    rank,
    CASE
        WHEN count(*) OVER () <= $most THEN rank
        WHEN $ordered AND is_missing THEN 0
        WHEN $ordered THEN
            1 + CAST(floor(
                ($most - 1) * (sum(row_count) OVER (ORDER BY rank) - row_count / 2.0) / sum(row_count) OVER ()
            ) AS BIGINT)
        ELSE least(row_number() OVER (ORDER BY row_count DESC, rank), $most) - 1
    END AS bin
FROM ranks
