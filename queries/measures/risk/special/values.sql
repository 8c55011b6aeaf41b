-- Answers: the values of one column that add most to the scores: for users who asked to be shown values.
-- Reads: value_scores, what each value of a column adds (position, code, score); codes, the column's values by their
-- numbers (value, code).
-- Takes: $most, how many are shown; $position, which column it is.
-- Gives: value_text, added.
SELECT
    CAST(codes.value AS VARCHAR) AS value_text,
    sum(value_scores.score) AS added
FROM value_scores
JOIN codes ON codes.code = value_scores.code
WHERE value_scores.position = $position
GROUP BY codes.value
ORDER BY added DESC, codes.value NULLS FIRST
LIMIT $most
