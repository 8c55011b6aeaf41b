-- Answers: the distinct texts of a column that its type does not fit, with their rows.
-- Reads: source, the rows of the source.
-- Takes: misfit, whether a text does not fit; text_value, the text.
-- Gives: value, row_count.
SELECT text_value AS value, CAST(count(*) AS BIGINT) AS row_count
FROM source
WHERE misfit
GROUP BY text_value
