-- Answers: one text for the equivalence classes of a release, whatever the order of rows and columns and wherever they
-- are: SHA-256 over the sorted SHA-256 of the classes. A class is written as the length in bytes and the text of each
-- value, and its rows: 2:m*,1:f=7. CSV has one mark for NULL and for no text, so both are no text here. Engines keep
-- the sign of a zero or drop it: here it has none, in ranges and sets neither.
-- Reads: written, the rows of the release (qi_value).
-- Takes: qi_value and qi_text, of each quasi-identifier its column and the text of its value; written_rows, how many
-- rows one of them stands for.
-- Gives: one row: digest, in hexadecimal digits.
SELECT sha256(coalesce(string_agg(class_digest, '' ORDER BY class_digest), '')) AS digest
FROM (
    SELECT
        sha256(
            array_to_string([LIST_OF(CAST(strlen(qi_value) AS VARCHAR) || ':' || qi_value)], ',')
            || '=' || CAST(CAST(sum(written_rows) AS BIGINT) AS VARCHAR)
        ) AS class_digest
    FROM (
        SELECT
            regexp_replace(coalesce(qi_text, ''), '(^|[^0-9])-0\.0($|[^0-9])', '\10.0\2', 'g') AS qi_value,
            written_rows
        FROM written
    ) AS texts
    GROUP BY qi_value
) AS classes
