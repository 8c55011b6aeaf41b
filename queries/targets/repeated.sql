-- How many combinations of some columns a table holds more than once; NULL equals nothing.
SELECT count(*)
FROM (
    SELECT part_key FROM table_rows WHERE part_key IS NOT NULL GROUP BY part_key HAVING count(*) > 1
) AS repeated
