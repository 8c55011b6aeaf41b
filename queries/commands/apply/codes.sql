-- Answers: the codes of a sensitive column: as the models count its values in the new data; values that only earlier
-- releases hold get codes behind them.
-- Reads: all_values, the values of the column in all releases (value, position); domain, the distinct values of a
-- column (value, position).
-- Takes: $top, the greatest code of a value in the new data.
-- Gives: the table codes (text, code).
CREATE OR REPLACE TEMP TABLE codes AS
SELECT
    told.text,
    CASE WHEN told.place = 0 THEN 0 ELSE coalesce(max(known.position) OVER same_place, $top + told.place) END AS code
FROM (
    SELECT CAST(value AS VARCHAR) AS text, CAST(any_value(position) AS BIGINT) AS place
    FROM all_values
    GROUP BY CAST(value AS VARCHAR)
) AS told
LEFT JOIN (
    SELECT CAST(value AS VARCHAR) AS text, CAST(any_value(position) AS BIGINT) AS position
    FROM domain
    GROUP BY CAST(value AS VARCHAR)
) AS known ON known.text = told.text
WINDOW same_place AS (PARTITION BY told.place)
