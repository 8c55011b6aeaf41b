-- Some combined tuples that stand for fewer than k rows: for users who asked to be shown values.
SELECT any_value(tuples.row_count) AS row_count, min(combined.qi_said)
FROM tuples
JOIN combined ON combined.tuple = tuples.tuple
WHERE tuples.row_count < $k
GROUP BY tuples.tuple
ORDER BY tuples.tuple
LIMIT 10
