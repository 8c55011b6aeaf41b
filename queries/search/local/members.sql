-- The tuples of each class, a class being what took one label; numbered from 1.
CREATE OR REPLACE TEMP TABLE members AS
SELECT CAST(dense_rank() OVER (ORDER BY label) AS INTEGER) AS part, cell, row_count
FROM taken
