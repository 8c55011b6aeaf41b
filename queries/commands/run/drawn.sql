-- Answers: the values of a column in the rows that were drawn in another engine.
-- Reads: brought, values that came from there (drawn_value, drawn_rows).
-- Takes: drawn_value, what the column is called; unit, what drawn_rows counts for a row.
-- Gives: drawn_value.
SELECT drawn_value
FROM (SELECT *, unnest(range(CAST(floor(drawn_rows / unit) AS BIGINT))) AS number FROM brought) AS source
