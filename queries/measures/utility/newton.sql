-- Answers: one step of a logistic regression: the mean squared distance of the fitted propensities from the share of
-- the release, the logarithm of the likelihood, its gradient, and the upper half of the matrix of its second
-- derivatives.
-- Reads: utility_design, the rows of both sides as vectors (is_release, row_count, part_x, pair_first, pair_second).
-- Takes: $beta, the coefficients; $share, the share of the release; pair_first and pair_second, the names of two
-- entries of the vectors; part_number, of each entry its number from 1; part_x, its name.
-- Gives: distance, likelihood, the gradient, the second derivatives, a column each.
SELECT
    sum(row_count * (propensity - $share) * (propensity - $share)) / sum(row_count) AS distance,
    sum(row_count * ln(is_release * propensity + (1 - is_release) * (1 - propensity))) AS likelihood,
    sum(row_count * (is_release - propensity) * part_x),
    sum(spread * pair_first * pair_second)
FROM (
    SELECT is_release, row_count, part_x, propensity, row_count * propensity * (1 - propensity) AS spread
    FROM (
        SELECT
            is_release,
            row_count,
            part_x,
            1 / (1 + exp(-greatest(least(score, 35), -35))) AS propensity
        FROM (
            SELECT
                is_release,
                row_count,
                part_x,
                SUM_OF(part_x * list_extract(CAST($beta AS DOUBLE[]), part_number)) AS score
            FROM kanon.utility_design
        ) AS scored
    ) AS fitted
) AS weighed
