-- Answers: the values of a key that stand in the released rows of two tables.
-- Reads: key_values and further_values, the values of each (key).
-- Takes: nothing.
-- Gives: the table common (key).
CREATE OR REPLACE TEMP TABLE common AS
SELECT key_values.key
FROM key_values
SEMI JOIN further_values ON further_values.key = key_values.key
