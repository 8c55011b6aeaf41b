-- Answers: how many rows hold a text that its column's type does not fit, for each of these columns.
-- Reads: source, the rows of the source.
-- Takes: read_misfit, of each column whether its text does not fit; read_key, the name of its number.
-- Gives: read_key.
SELECT count(CASE WHEN read_misfit THEN 1 END) AS read_key
FROM source
