-- Answers: of each of some sets of columns, what its combinations of values hold: the fewest rows or entities, how many
-- combinations hold too few, or too few values of a sensitive column.
-- Reads: known_rows, the rows with numbers for their values (key_code, model_value).
-- Takes: key_code, the columns of the set; set_number, its number; holder_total, the number of rows or of entities; $k;
-- model_value, of each model its sensitive column; model_least, how many values it asks for; model_fewest and
-- model_violating, names of what it gives.
-- Gives: one row of each set: number, fewest, violating, and of each model model_fewest and model_violating.
SELECT
    set_number AS number,
    CAST(min(holders) AS BIGINT) AS fewest,
    count(CASE WHEN holders < $k OR ANY_OF(model_value < model_least) THEN 1 END) AS violating,
    min(model_value) AS model_fewest,
    count(CASE WHEN model_value < model_least THEN 1 END) AS model_violating
FROM (
    SELECT holder_total AS holders, count(DISTINCT model_value) AS model_value
    FROM kanon.known_rows
    GROUP BY key_code
) AS combinations
