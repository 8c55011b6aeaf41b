-- Answers: the values of one quasi-identifier, each with a number; the numbers stand in no order.
-- Reads: known_values, the values of all of them (position, key_value).
-- Takes: key_value, the column of its values; $position, its number; key_numbers, the table that is made.
-- Gives: the table key_numbers (value, code).
CREATE OR REPLACE TEMP TABLE key_numbers AS
SELECT key_value AS value, CAST(row_number() OVER () AS INTEGER) AS code
FROM kanon.known_values
WHERE position = $position
