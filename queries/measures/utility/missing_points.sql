-- Answers: labels that stand for missing values.
-- Reads: labels, the labels of one column of the release (code, covers_missing); ranks, the domain of one column rank
-- by rank (rank, is_missing).
-- Takes: nothing.
-- Gives: further rows of the table points (code, rank).
INSERT INTO points
SELECT labels.code, ranks.rank
FROM labels
JOIN ranks ON ranks.is_missing
WHERE labels.covers_missing
