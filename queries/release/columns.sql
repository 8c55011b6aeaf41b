-- The values of each column as one sum, whatever rows they stand in: says which column holds others than it should.
SELECT CAST(coalesce(sum(cell_hash), 0) AS VARCHAR) AS cell_hash
FROM table_rows
