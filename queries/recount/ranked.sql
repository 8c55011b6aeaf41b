-- The values of all rows in their order, with their shares; values that are equal in it are one.
SELECT ranks.rank, sum(reference.share) AS share
FROM reference
JOIN ranks ON ranks.value IS NOT DISTINCT FROM reference.value
GROUP BY ranks.rank
