-- Answers: what scans of another engine told of each column of a table, as column_scan.sql has it.
-- Reads: few_values, the distinct values of columns of few of them (position, text, held).
-- Takes: $row_count, how many rows the table has; $positions, $totals and $planned, of each of the other columns its
-- position, the sum of digests as text, NULL without a row, and whether its values are evenly spaced.
-- Gives: the table ledger_scan (position, row_count, held, total, is_planned).
CREATE OR REPLACE TEMP TABLE kanon.ledger_scan AS
SELECT
    position,
    CAST($row_count AS BIGINT) AS row_count,
    map_from_entries(list({'key': text, 'value': CAST(held AS UBIGINT)} ORDER BY text)) AS held,
    CAST(NULL AS HUGEINT) AS total,
    CAST(NULL AS BOOLEAN) AS is_planned
FROM few_values
GROUP BY position
UNION ALL
SELECT
    unnest(CAST($positions AS BIGINT[])) AS position,
    CAST($row_count AS BIGINT) AS row_count,
    NULL AS held,
    unnest(CAST($totals AS HUGEINT[])) AS total,
    unnest(CAST($planned AS BOOLEAN[])) AS is_planned
