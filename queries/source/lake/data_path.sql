-- Answers: in which folder the rows of a lake stand, as its catalog says.
-- Reads: lake_metadata, the catalog's settings (key, value, scope).
-- Takes: nothing.
-- Gives: one row (data_path).
SELECT value AS data_path
FROM lake_metadata
WHERE key = 'data_path' AND scope IS NULL
