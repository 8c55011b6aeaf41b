-- Answers: how many rows there are, and of how many a combination is too small, or no other row's.
-- Reads: known_rows, all of them: row_count; known_fallen, those with too small a combination: row_count, alone.
-- Takes: nothing.
-- Gives: all_rows, fallen_rows, alone_rows.
SELECT
    (SELECT CAST(coalesce(sum(row_count), 0) AS BIGINT) FROM kanon.known_rows) AS all_rows,
    CAST(coalesce(sum(row_count), 0) AS BIGINT) AS fallen_rows,
    CAST(coalesce(sum(CASE WHEN alone THEN row_count END), 0) AS BIGINT) AS alone_rows
FROM kanon.known_fallen
