-- Answers: a new number of each value of a key, from 1, in an order that tells nothing of the old one: that of a hash
-- of the value with a random number that is drawn for this run and forgotten after it.
-- Reads: key_values, the values (key).
-- Takes: $drawn, the random number.
-- Gives: the table key_map (key, new_value).
CREATE OR REPLACE TEMP TABLE key_map AS
SELECT key, row_number() OVER (ORDER BY sha256($drawn || ' ' || key), key) AS new_value
FROM key_values
