-- Every row text that any release holds, with numbers for it, in no order, and for its equivalence
-- class.
CREATE OR REPLACE TEMP TABLE cells AS
SELECT
    row_number() OVER () AS cell,
    dense_rank() OVER (ORDER BY [LIST_OF(qi_name)]) AS class,
    cell_name
FROM (
    SELECT DISTINCT cell_name
    FROM all_texts
) AS different
