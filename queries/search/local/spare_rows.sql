-- Answers: how many rows classes of one tuple can lend, and how many the classes of several hold.
-- Reads: spare, the rows that classes can lend (row_count); standing, the tuples of each class (row_count, is_alone).
-- Takes: nothing.
-- Gives: spare, dear.
SELECT
    (SELECT coalesce(sum(row_count), 0) FROM spare) AS spare,
    (SELECT coalesce(sum(row_count), 0) FROM standing WHERE NOT is_alone) AS dear
