-- Distinct values of one column of the population that have no counterpart in the type of the table's column.
SELECT count(DISTINCT raw_value) AS lost_values
FROM source
WHERE lost_value
