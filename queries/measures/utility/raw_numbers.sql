-- Answers: the sums that correlations of pairs of columns of many numbers are made of, over the rows that have both.
-- Reads: source, the rows of one side (pair_first, pair_second).
-- Takes: pair_first and pair_second, the numbers of each pair.
-- Gives: of each pair, as a list, rows, sum and sum of squares of the first, those of the second, sum of the products.
SELECT [
    count(pair_first * pair_second),
    coalesce(sum(CASE WHEN pair_second IS NULL THEN 0 ELSE pair_first END), 0),
    coalesce(sum(CASE WHEN pair_second IS NULL THEN 0 ELSE pair_first * pair_first END), 0),
    coalesce(sum(CASE WHEN pair_first IS NULL THEN 0 ELSE pair_second END), 0),
    coalesce(sum(CASE WHEN pair_first IS NULL THEN 0 ELSE pair_second * pair_second END), 0),
    coalesce(sum(pair_first * pair_second), 0)
]
FROM source
