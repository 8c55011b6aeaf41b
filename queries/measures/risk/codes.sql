-- Answers: each value of one column as a whole number: subsets of columns are grouped by these, two to three times as
-- fast as by the values. The numbers stand in no order.
-- Reads: tuples, the distinct tuples with their rows (item_name).
-- Takes: item_name, of each column its name.
-- Gives: the table codes (value, code).
CREATE OR REPLACE TEMP TABLE codes AS
SELECT
    value,
    CAST(row_number() OVER () AS UINTEGER) AS code
FROM (SELECT DISTINCT item_name AS value FROM tuples) AS present
