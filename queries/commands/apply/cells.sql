-- Answers: every row text that any release holds, with numbers for it, in no order, and for its equivalence class.
-- Reads: all_texts, the row texts of all releases (cell_name).
-- Takes: cell_name, of each released column its name; qi_name, of each quasi-identifier the column of its text.
-- Gives: the table cells (cell, class, cell_name).
CREATE OR REPLACE TEMP TABLE cells AS
SELECT
    row_number() OVER () AS cell,
    dense_rank() OVER (ORDER BY [LIST_OF(qi_name)]) AS class,
    cell_name
FROM (
    SELECT DISTINCT cell_name
    FROM all_texts
) AS different
