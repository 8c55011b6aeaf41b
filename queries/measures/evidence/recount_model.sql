-- Answers: what the classes of a release reach of a privacy model.
-- Reads: measured, the classes by the model: measure.
-- Takes: nothing.
-- Gives: one row: least_reached and most_reached, to nine digits.
SELECT round(CAST(min(measure) AS DOUBLE), 9) AS least_reached, round(CAST(max(measure) AS DOUBLE), 9) AS most_reached
FROM measured
