-- Answers: how many combinations of values of the quasi-identifiers have each number of rows.
-- Reads: tuples, the distinct combinations with their rows (row_count).
-- Takes: nothing.
-- Gives: size, class_count.
SELECT row_count AS size, count(*) AS class_count
FROM tuples
GROUP BY row_count
