-- The equivalence classes of the chosen node that hold fewer than k rows, by their codes.
CREATE OR REPLACE TEMP TABLE suppressed_classes AS
SELECT
    qi_code,
    TRUE AS is_suppressed
FROM tuples
GROUP BY qi_code
HAVING sum(row_count) < $k
