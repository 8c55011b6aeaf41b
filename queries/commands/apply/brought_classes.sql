-- Answers: the classes of the new data that another engine holds, each as if it were one row text, with numbers for
-- them.
-- Reads: brought, the classes (class_key, row_count).
-- Takes: nothing.
-- Gives: the table counts (release, class, cell, class_key, row_count).
CREATE OR REPLACE TEMP TABLE counts AS
SELECT CAST(0 AS BIGINT) AS release, number AS class, number AS cell, class_key, row_count
FROM (
    SELECT dense_rank() OVER (ORDER BY class_key) AS number, class_key, row_count
    FROM brought
) AS numbered
