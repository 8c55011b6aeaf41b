-- Answers: for one column of categories and each column of numbers the sums that a correlation ratio is made of: over
-- the rows with a number these, their numbers, the squares of these, and the squares of the sums of each category
-- divided by its rows.
-- Reads: coded, the frequency table of one side with codes (this_code, number_count, number_total, number_square);
-- label_bins, the bins that each label of the categories is spread over (code, bin, weight).
-- Takes: this_code, the column of the categories; number_count, number_square and number_total, of each column of
-- numbers its sums.
-- Gives: rows, total, square and between of each column of numbers, as a list.
SELECT [
    coalesce(sum(number_count), 0),
    coalesce(sum(number_total), 0),
    coalesce(sum(number_square), 0),
    coalesce(sum(CASE WHEN number_count > 0 THEN number_total * number_total / number_count ELSE 0 END), 0)
] AS number_total
FROM (
    SELECT
        label_bins.bin,
        sum(label_bins.weight * grouped.number_count) AS number_count,
        sum(label_bins.weight * grouped.number_total) AS number_total,
        sum(label_bins.weight * grouped.number_square) AS number_square
    FROM (
        SELECT
            this_code AS code,
            sum(number_count) AS number_count,
            sum(number_total) AS number_total,
            sum(number_square) AS number_square
        FROM coded
        GROUP BY this_code
    ) AS grouped
    JOIN label_bins ON label_bins.code = grouped.code
    GROUP BY label_bins.bin
) AS categories
