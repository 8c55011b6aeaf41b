-- The tuples left over, which wait for a class.
CREATE OR REPLACE TEMP TABLE waiting AS
SELECT cell, row_count
FROM rest
