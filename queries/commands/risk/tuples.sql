-- The frequency table of a table whose risk is measured: how many rows share each combination of the columns that are
-- looked at, as they stand. Everything else is counted from here.
CREATE OR REPLACE TEMP TABLE tuples AS
SELECT
    item_value AS item_name,
    CAST(count(*) AS BIGINT) AS row_count
FROM source
GROUP BY item_value
