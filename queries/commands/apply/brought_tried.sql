-- Answers: what would be released of the classes that are open, each as if it were one row text.
-- Reads: sets, the rows of each class that two releases have in common or not (class, row_count, release).
-- Takes: nothing.
-- Gives: the table tried (class, cell, quota).
CREATE OR REPLACE TEMP TABLE tried AS
SELECT class, class AS cell, CAST(sum(row_count) AS BIGINT) AS quota
FROM sets
WHERE release = 0
GROUP BY class
