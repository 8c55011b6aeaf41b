-- Answers: the combinations of values that hold a minimal unique, with their scores and, where a sampling fraction is
-- known, the probability that a match is right, the highest first: for users who asked to be shown values.
-- Reads: special, the classes of all columns with their scores (item_code, row_count, score); item_codes, of each
-- column its values by their numbers (value, code).
-- Takes: dis_name, rows_name and score_name, what columns are called; exponent, how much scores matter; item_code, of
-- each column its number; item_name, of each column its name; probability, that of all unique rows, NULL without a
-- sampling fraction.
-- Gives: item_name, rows_name, score_name, dis_name.
SELECT
    item_codes.value AS item_name,
    special.row_count AS rows_name,
    special.score AS score_name,
    CAST(
        1 / (
            1 + all_scored.scored * (1 / probability - 1)
            / (power(special.score, exponent) * all_scored.inverse)
        ) AS DOUBLE
    ) AS dis_name
FROM special
JOIN item_codes ON item_codes.code = special.item_code
CROSS JOIN (
    SELECT
        count(*) AS scored,
        sum(power(score, -exponent)) AS inverse
    FROM special
    WHERE score > 0
) AS all_scored
WHERE special.score > 0
ORDER BY special.score DESC, item_codes.value NULLS FIRST
