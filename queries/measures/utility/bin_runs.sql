-- Answers: the bins of a column as runs of ranks. What stands for no value of the source is a bin of its own.
-- Reads: bins, the bin of each rank (rank, bin).
-- Takes: $most, the number of that bin.
-- Gives: the table bin_runs (bin, first, last).
CREATE OR REPLACE TEMP TABLE bin_runs AS
SELECT bin, min(rank) AS first, max(rank) AS last
FROM (SELECT rank, bin, rank - row_number() OVER (PARTITION BY bin ORDER BY rank) AS island FROM bins) AS islands
GROUP BY bin, island
UNION ALL
SELECT $most AS bin, max(rank) + 1 AS first, 4611686018427387904 AS last
FROM bins
