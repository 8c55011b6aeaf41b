-- Answers: the rows of one release where another engine holds it, each different one once, by the keys of its class and
-- of itself, with how often it is there.
-- Reads: table_rows, the rows of a table (what cell_text and sensitive_value read).
-- Takes: cell_name and cell_text, of each released column its name and its text; sensitive_value and sensitive_code, of
-- each sensitive column its value and its name; class_text and row_text, the keys made of these names; release_number,
-- the number of the release.
-- Gives: release, class_key, row_key, sensitive_code, row_count.
SELECT
    CAST(release_number AS BIGINT) AS release,
    class_key,
    row_key,
    sensitive_code,
    CAST(count(*) AS BIGINT) AS row_count
FROM (
    SELECT class_text AS class_key, row_text AS row_key, sensitive_code
    FROM (
        SELECT cell_text AS cell_name, sensitive_value AS sensitive_code
        FROM table_rows
    ) AS cells
) AS keyed
GROUP BY class_key, row_key, sensitive_code
