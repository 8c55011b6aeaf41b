-- Answers: what tells whether two tables hold the same rows, in whatever order and format: how many there are, and two
-- sums over digests of them; and about how many distinct values each column has. No row can be read from it.
-- Reads: table_rows, the rows of a table (cell_value).
-- Takes: cell_value, of each column its value; cell_text, a name for it.
-- Gives: row_count, total, parity, estimates.
SELECT
    count(*) AS row_count,
    CAST(coalesce(sum(CAST(digest AS HUGEINT)), 0) AS VARCHAR) AS total,
    CAST(coalesce(bit_xor(digest), 0) AS VARCHAR) AS parity,
    [LIST_OF(approx_count_distinct(cell_text))] AS estimates
FROM (
    SELECT
        md5_number_lower(array_to_string([LIST_OF(
            CAST(length(coalesce(cell_value, '')) AS VARCHAR) || ':' || coalesce(cell_value, '')
        )], ',')) AS digest,
        cell_value AS cell_text
    FROM table_rows
) AS digests
