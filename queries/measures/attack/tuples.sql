-- Answers: the frequency table of one side of an attack: how many rows share each combination of the columns that are
-- looked at and, where persons have several rows, of which person.
-- Reads: source, the rows of one side (item_value, person_value).
-- Takes: item_name, of each column its name; item_value, of each column its value; person_value, who a row is about;
-- person_name, the name for that; row_total, the number of rows.
-- Gives: the table tuples (item_name, person_name, row_count).
CREATE OR REPLACE TEMP TABLE tuples AS
SELECT
    item_value AS item_name,
    person_value AS person_name,
    CAST(row_total AS BIGINT) AS row_count
FROM source
GROUP BY item_value, person_value
