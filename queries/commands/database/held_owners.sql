-- Answers: to whom the rows of a table belong that others go through.
-- Reads: table_rows, the rows of the table (own_key, link_key); owners, the persons by their keys, or by those of a
-- table that these rows go through (key, owner).
-- Takes: own_key, the column that others go through; link_key, the column by which the person is found.
-- Gives: the table held_owners (key, owner).
CREATE OR REPLACE TEMP TABLE held_owners AS
SELECT CAST(own_key AS VARCHAR) AS key, min(owners.owner) AS owner
FROM table_rows
JOIN owners ON owners.key = CAST(link_key AS VARCHAR)
WHERE own_key IS NOT NULL
GROUP BY CAST(own_key AS VARCHAR)
