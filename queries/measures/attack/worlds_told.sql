-- Answers: how often each combination of quasi-identifiers has each sensitive value, in the worlds so far and one more.
-- Reads: told, that of the worlds so far (cell, value, row_count); records, the further world (cell, value_code,
-- row_count).
-- Takes: value_code, the column of the sensitive codes in records.
-- Gives: the table told (cell, value, row_count), that of all these worlds.
CREATE OR REPLACE TEMP TABLE told AS
SELECT cell, value, CAST(sum(row_count) AS BIGINT) AS row_count
FROM (
    SELECT cell, value, row_count
    FROM told
    UNION ALL
    SELECT cell, value_code AS value, row_count
    FROM records
) AS both_tables
GROUP BY cell, value
