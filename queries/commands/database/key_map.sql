-- Answers: the new values of a key, for one of the columns that hold it: a view of its own for each.
-- Reads: key_map (key, new_value).
-- Takes: nothing.
-- Gives: the view mapped (key, new_value).
CREATE OR REPLACE TEMP VIEW mapped AS
SELECT key, new_value
FROM key_map
