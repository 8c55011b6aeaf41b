-- Answers: the rows of one release as texts, each different one once, with how often it is there.
-- Reads: table_rows, the rows of a table (cell_text).
-- Takes: cell_name, of each released column its name; $release, the number of the release.
-- Gives: the table release_texts (release, cell_name, row_count).
CREATE OR REPLACE TEMP TABLE release_texts AS
SELECT
    CAST($release AS BIGINT) AS release,
    cell_text AS cell_name,
    CAST(count(*) AS BIGINT) AS row_count
FROM table_rows
GROUP BY cell_text
