-- Answers: the list of the values that each person holds in a column of a table, as a text in JSON.
-- Reads: table_rows, the rows of the table (held_value, link_key); owners, the persons by their keys, or by those of a
-- table that the rows go through (key, owner).
-- Takes: held_value, the value as text, NULL where it is missing; link_key, the column by which the person is found.
-- Gives: the table held_lists (key, list), of persons with rows; a value stands in it once.
CREATE OR REPLACE TEMP TABLE held_lists AS
SELECT owner AS key, CAST(to_json(list(value ORDER BY value NULLS FIRST)) AS VARCHAR) AS list
FROM (
    SELECT DISTINCT owners.owner, held_value AS value
    FROM table_rows
    JOIN owners ON owners.key = CAST(link_key AS VARCHAR)
) AS held
GROUP BY owner
