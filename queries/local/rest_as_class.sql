-- All that has no class becomes one.
INSERT INTO members
SELECT 0 AS part, cell, row_count
FROM rest
