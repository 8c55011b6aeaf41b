-- Answers: the frequency table of a table whose risk is measured: how many rows share each combination of the columns
-- that are looked at, as they stand. Everything else is counted from here.
-- Reads: source, the rows of the source (item_value).
-- Takes: item_name, of each column its name; item_value, of each column its value; row_total, the number of rows.
-- Gives: the table tuples (item_name, row_count).
CREATE OR REPLACE TEMP TABLE tuples AS
SELECT
    item_value AS item_name,
    CAST(row_total AS BIGINT) AS row_count
FROM source
GROUP BY item_value
