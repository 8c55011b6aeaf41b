-- Answers: the sums that correlations of pairs of numbers are made of, over the rows that have both.
-- Reads: coded, the frequency table of one side with codes (pair_x, pair_count, pair_total, pair_square).
-- Takes: pair_count, pair_square and pair_total, of the first column of each pair the sums; pair_x, of the second its
-- number.
-- Gives: of each pair, as a list, rows, sum and sum of squares of the first, those of the second, sum of the products.
SELECT [
    coalesce(sum(CASE WHEN pair_x IS NULL THEN 0 ELSE pair_count END), 0),
    coalesce(sum(CASE WHEN pair_x IS NULL THEN 0 ELSE pair_total END), 0),
    coalesce(sum(CASE WHEN pair_x IS NULL THEN 0 ELSE pair_square END), 0),
    coalesce(sum(pair_x * pair_count), 0),
    coalesce(sum(pair_x * pair_x * pair_count), 0),
    coalesce(sum(pair_x * pair_total), 0)
] AS pair_x
FROM coded
