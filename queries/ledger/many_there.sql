-- Answers: what a scan of another engine tells of columns of many distinct values: a sum of digests, in two halves of
-- 32 bits, and whether the values are evenly spaced numbers or moments (see column_scan.sql).
-- Reads: table_rows, the rows of a table (what cell_digits and cell_number read).
-- Takes: cell_digits, of each column the digits of the digest of its value; cell_upper_half and cell_lower_half, the
-- halves of its last bytes; cell_number, the number or moment that the value is, NULL for neither; cell_spread, the
-- variance of these; cell_digest, cell_place, cell_upper, cell_lower, cell_first, cell_last and cell_planned, names.
-- Gives: cell_first, cell_last, cell_planned.
SELECT
    CAST(sum(CAST(cell_upper AS DECIMAL(12, 0))) AS VARCHAR) AS cell_first,
    CAST(sum(CAST(cell_lower AS DECIMAL(12, 0))) AS VARCHAR) AS cell_last,
    CASE
        WHEN count(cell_place) = count(*)
            AND abs(CAST(sum(cell_place) AS DOUBLE) / count(*) - (min(cell_place) + max(cell_place)) * 0.5)
                <= 0.000001 * (max(cell_place) - min(cell_place))
            AND abs(cell_spread * 12 - (max(cell_place) - min(cell_place)) * (max(cell_place) - min(cell_place)))
                <= 0.01 * (max(cell_place) - min(cell_place)) * (max(cell_place) - min(cell_place))
            THEN 1
        ELSE 0
    END AS cell_planned
FROM (
    SELECT
        cell_upper_half AS cell_upper,
        cell_lower_half AS cell_lower,
        CASE WHEN cell_place BETWEEN -1000000000000000 AND 1000000000000000 THEN cell_place END AS cell_place
    FROM (SELECT cell_digits AS cell_digest, cell_number AS cell_place FROM table_rows) AS digests
) AS halves
