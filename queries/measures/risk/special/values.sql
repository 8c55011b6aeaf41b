-- Answers: the values of one column that add most to the scores: for users who asked to be shown values.
-- Reads: risk_special_values, what each value of a column adds (position, code, score); codes, the column's values by
-- their numbers (value, code).
-- Takes: $most, how many are shown; $position, which column it is.
-- Gives: value_text, added.
SELECT
    CAST(codes.value AS VARCHAR) AS value_text,
    sum(risk_special_values.score) AS added
FROM kanon.risk_special_values
JOIN codes ON codes.code = risk_special_values.code
WHERE risk_special_values.position = $position
GROUP BY codes.value
ORDER BY added DESC, codes.value NULLS FIRST
LIMIT $most
