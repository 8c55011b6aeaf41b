-- Answers: the probabilities that a match with a class that holds a minimal unique is right, higher where the score is:
-- their harmonic mean is that of all unique rows.
-- Reads: special, the classes of all columns with their scores (row_count, score).
-- Takes: $exponent, how much scores matter; $probability, that of all unique rows; $threshold, the risk that is looked
-- at.
-- Gives: mean, median, high, most, rows_above.
SELECT
    avg(chance) AS mean,
    quantile_disc(chance, 0.5) AS median,
    quantile_disc(chance, 0.95) AS high,
    max(chance) AS most,
    CAST(sum(CASE WHEN chance > $threshold THEN row_count ELSE 0 END) AS BIGINT) AS rows_above
FROM (
    SELECT
        special.row_count,
        1 / (
            1 + all_scored.scored * (1 / $probability - 1)
            / (power(special.score, $exponent) * all_scored.inverse)
        ) AS chance
    FROM special
    CROSS JOIN (
        SELECT
            count(*) AS scored,
            sum(power(score, -$exponent)) AS inverse
        FROM special
        WHERE score > 0
    ) AS all_scored
    WHERE special.score > 0
) AS chances
