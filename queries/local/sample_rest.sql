-- Some of the tuples without a class.
CREATE OR REPLACE TEMP TABLE sample_rest AS
SELECT *
FROM rest
ORDER BY hash(cell)
LIMIT $tuples
