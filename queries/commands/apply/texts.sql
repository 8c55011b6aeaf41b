-- The rows of one release as texts, each different one once, with how often it is there.
CREATE OR REPLACE TEMP TABLE release_texts AS
SELECT
    CAST($release AS BIGINT) AS release,
    cell_text AS cell_name,
    CAST(count(*) AS BIGINT) AS row_count
FROM table_rows
GROUP BY cell_text
