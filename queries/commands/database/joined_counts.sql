-- Answers: how many rows a table has, how many of them no person of the source has, and how many only persons who are
-- not released.
-- Reads: table_rows, the rows of the table (own_key); source, the rows of the table of persons (unit_key, via_column);
-- persons, who is released (key, is_released).
-- Takes: own_key, the key of a row; unit_key, that of a person; via_column, the column of persons that holds own_key.
-- Gives: one row (row_count, orphans, suppressed).
SELECT
    count(*) AS row_count,
    count(*) - count(held.key) AS orphans,
    count(CASE WHEN NOT held.is_released THEN 1 END) AS suppressed
FROM table_rows
LEFT JOIN (
    SELECT CAST(via_column AS VARCHAR) AS key, bool_or(persons.is_released) AS is_released
    FROM source
    JOIN persons ON persons.key = CAST(unit_key AS VARCHAR)
    WHERE via_column IS NOT NULL
    GROUP BY CAST(via_column AS VARCHAR)
) AS held ON held.key = CAST(own_key AS VARCHAR)
