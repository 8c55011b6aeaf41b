-- Answers: the day from which the distances of each person are counted: the first of a column.
-- Reads: source, the rows of the column's table; links, whose each key is (key, person).
-- Takes: day_value, the day of a row, NULL where there is none; link_key, the column by which the person is found.
-- Gives: the table origins (person, origin).
CREATE OR REPLACE TEMP TABLE origins AS
SELECT links.person, min(day_value) AS origin
FROM source
JOIN links ON links.key = CAST(link_key AS VARCHAR)
GROUP BY links.person
