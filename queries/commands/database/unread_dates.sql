-- Answers: in how many rows each of the columns whose dates move holds a text that is no date.
-- Reads: source, the rows.
-- Takes: day_text, of each column its text, NULL where it is missing.
-- Gives: one row of lists (unread).
SELECT [LIST_OF(count(CASE
    WHEN day_text IS NOT NULL AND TRY_CAST(substr(day_text, 1, 10) AS DATE) IS NULL THEN 1
END))] AS unread
FROM source
