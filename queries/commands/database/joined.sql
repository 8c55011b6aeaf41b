-- Answers: the rows of the table of persons, with the quasi-identifiers that stand in rows of other tables, NULL where
-- a person has no row there, and the values that persons hold in other tables.
-- Reads: persons, the rows of the table of persons (via_column, held_column); via_rows, of each other table with
-- quasi-identifiers the row of each key (key, out_value); held_lists, of each column of which persons hold several
-- values their lists (key, list).
-- Takes: out_value and out_name, of each column its value and its name; via_column, of each other table the column of
-- persons that holds its key; held_column, the key of persons.
-- Gives: rows (out_name).
SELECT out_value AS out_name
FROM persons
LEFT JOIN via_rows ON via_rows.key = CAST(via_column AS VARCHAR)
LEFT JOIN held_lists ON held_lists.key = CAST(held_column AS VARCHAR)
