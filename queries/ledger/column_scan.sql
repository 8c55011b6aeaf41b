-- Answers: what a scan tells of each column of a table: of one of few distinct values how often each is there, of one
-- of many a sum of digests that a key is mixed into, and whether its values are evenly spaced numbers or moments, as
-- the numbers of rows or the days of a year are.
-- Reads: table_rows, the rows of a table (what cell_few, cell_many and cell_number read).
-- Takes: cell_few, of a column of few distinct values the value, else NULL; cell_many, of one of many the value, else
-- NULL; cell_number, of that one the number or moment that it is, NULL for neither; cell_name, cell_text and
-- cell_place, names for these; $key, which is mixed into the digests.
-- Gives: the table ledger_scan (position, row_count, held, total, is_planned).
CREATE OR REPLACE TEMP TABLE kanon.ledger_scan AS
WITH placed AS (
    SELECT
        cell_few AS cell_name,
        cell_many AS cell_text,
        CASE
            WHEN cell_number BETWEEN -1e15 AND 1e15 THEN cell_number
        END AS cell_place
    FROM table_rows
), scanned AS MATERIALIZED (
    SELECT
        count(*) AS row_count,
        [LIST_OF(histogram(cell_name))] AS counts,
        [LIST_OF(sum(CAST(md5_number_lower($key || cell_text) AS HUGEINT)))] AS totals,
        [LIST_OF(
            count(cell_place) = count(*)
            AND abs(avg(cell_place) - (min(cell_place) + max(cell_place)) / 2)
                <= 1e-6 * (max(cell_place) - min(cell_place))
            AND abs(var_pop(cell_place) * 12 - power(max(cell_place) - min(cell_place), 2))
                <= 0.01 * power(max(cell_place) - min(cell_place), 2)
        )] AS planned
    FROM placed
)
SELECT
    unnest(range(len(counts))) AS position,
    row_count,
    unnest(counts) AS held,
    unnest(totals) AS total,
    unnest(planned) AS is_planned
FROM scanned
