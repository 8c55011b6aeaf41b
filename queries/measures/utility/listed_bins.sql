-- Answers: the bins of one column with the rows of the source.
-- Reads: bins, the bin of each rank (rank, bin); ranks, the domain of one column rank by rank (rank, row_count).
-- Takes: nothing.
-- Gives: bin, row_count.
SELECT bins.bin, CAST(sum(ranks.row_count) AS BIGINT) AS row_count
FROM bins
JOIN ranks ON ranks.rank = bins.rank
GROUP BY bins.bin
ORDER BY bins.bin
