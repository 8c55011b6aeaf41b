-- Answers: one side of what two releases tell apart: the rows that both hold, were added or were removed. Of removed
-- rows those of classes that have others in common with the earlier release.
-- Reads: told_apart, the rows of each class that two releases have in common or not (side_count, kept, qi_name, all
-- columns).
-- Takes: side_count, the column of the side; qi_name, of each quasi-identifier the column of its text; least_kept,
-- how many rows of a class must be in both at least.
-- Gives: the columns of told_apart, row_count.
SELECT *, side_count AS row_count
FROM (
    SELECT *, sum(kept) OVER (PARTITION BY [LIST_OF(qi_name)]) AS class_kept
    FROM told_apart
) AS sides
WHERE side_count > 0 AND class_kept >= least_kept
