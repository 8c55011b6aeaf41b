-- Answers: what Cramer's V of two columns of categories is made of: chi square divided by the rows, and how many
-- categories each has.
-- Reads: coded, the frequency table of one side with codes (first_code, second_code, row_count); first_bins and
-- second_bins, the bins that each label of the columns is spread over (code, bin, weight).
-- Takes: first_code and second_code, the columns of the codes.
-- Gives: phi_square, first_count, second_count.
SELECT
    sum(cell * cell / (first_total * second_total)) - 1 AS phi_square,
    count(DISTINCT first_bin) AS first_count,
    count(DISTINCT second_bin) AS second_count
FROM (
    SELECT
        first_bin,
        second_bin,
        cell,
        sum(cell) OVER (PARTITION BY first_bin) AS first_total,
        sum(cell) OVER (PARTITION BY second_bin) AS second_total
    FROM (
        SELECT half.first_bin, second_bins.bin AS second_bin, sum(half.cell * second_bins.weight) AS cell
        FROM (
            SELECT first_bins.bin AS first_bin, pairs.second_code, sum(pairs.row_count * first_bins.weight) AS cell
            FROM (
                SELECT first_code, second_code, CAST(sum(row_count) AS DOUBLE) AS row_count
                FROM coded
                GROUP BY first_code, second_code
            ) AS pairs
            JOIN first_bins ON first_bins.code = pairs.first_code
            GROUP BY first_bins.bin, pairs.second_code
        ) AS half
        JOIN second_bins ON second_bins.code = half.second_code
        GROUP BY half.first_bin, second_bins.bin
    ) AS cells
) AS table_of_both
