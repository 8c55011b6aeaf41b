-- Answers: the rows whose combination of values in a set of columns holds too few rows or entities, or too few values
-- of a sensitive column.
-- Reads: known_rows, the rows with numbers for their values (key_code, model_value, row_count).
-- Takes: key_code, the columns of the set; row_total, the number of rows; holder_total, the same, or the number of
-- entities; $k; model_value, of each model its sensitive column; model_least, how many values it asks for.
-- Gives: row_number, row_count, alone: whether it shares its combination with nobody.
SELECT known_rows.rowid AS row_number, known_rows.row_count, short.size = 1 AS alone
FROM kanon.known_rows
JOIN (
    SELECT key_code, row_total AS size
    FROM kanon.known_rows
    GROUP BY key_code
    HAVING holder_total < $k OR ANY_OF(count(DISTINCT model_value) < model_least)
) AS short ON known_rows.key_code = short.key_code
