-- Answers: by which values it is told whether a lake forgot a table: least and greatest ones of its files, which the
--   catalog holds, and the texts of its first rows, which it holds where they are few.
-- Reads: lake_file_statistics and lake_tables, tables of the catalog; source, the rows of the table.
-- Takes: $name, the name of the table; $most, how many values at most; item_text, a column of the rows as text.
-- Gives: the table lake_values (value), values of five letters and more, each once.
CREATE OR REPLACE TEMP TABLE lake_values AS
WITH statistics AS (
    SELECT lake_file_statistics.min_value AS least, lake_file_statistics.max_value AS greatest
    FROM lake_file_statistics
    JOIN lake_tables ON lake_file_statistics.table_id = lake_tables.table_id
    WHERE lower(lake_tables.table_name) = lower($name)
),

first_rows AS (
    SELECT unnest([LIST_OF(item_text)]) AS value
    FROM (SELECT * FROM source LIMIT 200) AS first_rows_of_source
),

texts AS (
    SELECT least AS value FROM statistics
    UNION
    SELECT greatest AS value FROM statistics
    UNION
    SELECT value FROM first_rows
)

SELECT value
FROM texts
WHERE length(value) >= 5
ORDER BY hash(value), value
LIMIT $most
