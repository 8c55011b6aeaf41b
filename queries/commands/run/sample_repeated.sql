-- Answers: how many rows were drawn in another engine, and how many of them in combinations of which several were.
-- Reads: brought, combinations that came from there (drawn_rows).
-- Takes: unit, what drawn_rows counts for a row.
-- Gives: row_count, repeated_count.
SELECT
    coalesce(sum(rows_drawn), 0) AS row_count,
    coalesce(sum(rows_drawn) FILTER (rows_drawn > 1), 0) AS repeated_count
FROM (SELECT CAST(floor(drawn_rows / unit) AS BIGINT) AS rows_drawn FROM brought) AS drawn
