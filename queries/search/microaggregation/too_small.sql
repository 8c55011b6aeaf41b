-- Answers: the groups of fewer than k rows.
-- Reads: centres, the rows of each group (part, row_count).
-- Takes: $k, the fewest rows of a group.
-- Gives: the table violating (part).
CREATE OR REPLACE TEMP TABLE violating AS
SELECT part
FROM centres
WHERE row_count < $k
