-- Answers: distinct values of one column of the population that have no counterpart in the type of the table's column.
-- Reads: source, the rows of the source (raw_value).
-- Takes: lost_value, a value as it is compared; raw_value, a value as it stands.
-- Gives: lost_values.
SELECT count(DISTINCT raw_value) AS lost_values
FROM source
WHERE lost_value
