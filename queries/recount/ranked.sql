-- Answers: the values of all rows in their order, with their shares; values that are equal in it are one.
-- Reads: reference, the values of all rows: value, share; ranks, their places: value, rank.
-- Takes: nothing.
-- Gives: rank, share.
SELECT ranks.rank, sum(reference.share) AS share
FROM reference
JOIN ranks ON ranks.value IS NOT DISTINCT FROM reference.value
GROUP BY ranks.rank
