-- Answers: the rows that classes of one tuple can lend, and what each of them loses there.
-- Reads: standing, the tuples of each class with what the class loses (part, cell, row_count, size, cost, is_alone).
-- Takes: $k, the fewest rows of a class.
-- Gives: the table spare (part, cell, cost, row_count).
CREATE OR REPLACE TEMP TABLE spare AS
SELECT min(part) AS part, cell, min(cost) AS cost, max(size) - $k AS row_count
FROM standing
WHERE is_alone
GROUP BY cell
