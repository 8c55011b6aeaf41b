-- Answers: the pseudonym of each value of a key.
-- Reads: key_values, the values twice, once as they are and once made pseudonyms (key_before, key_after).
-- Takes: key_before and key_after, the columns.
-- Gives: the table key_map (key, new_value).
CREATE OR REPLACE TEMP TABLE key_map AS
SELECT key_before AS key, key_after AS new_value
FROM key_values
