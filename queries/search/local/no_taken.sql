-- The tuples that took a label; none yet.
CREATE OR REPLACE TEMP TABLE taken AS
SELECT rest.cell, above_a.label, rest.row_count
FROM rest
CROSS JOIN above_a
WHERE FALSE
