-- Answers: of the tuples that stand for fewer than k rows, those that cannot be empty where both releases hold the same
-- rows: some combination of one release has more rows than all others of the other release can take.
-- Reads: tuples, the combined tuples with their rows (tuple, row_count); combined, the pairs of tuples of both releases
-- with the values that both leave open (tuple, left_rows, right_rows, left_number, right_number).
-- Takes: $k, the fewest rows of a class.
-- Gives: certain.
SELECT count(*) AS certain
FROM (
    SELECT combined.tuple
    FROM (
        SELECT
            tuple,
            greatest(
                left_rows - (sum(right_rows) OVER (PARTITION BY left_number) - right_rows),
                right_rows - (sum(left_rows) OVER (PARTITION BY right_number) - left_rows)
            ) AS at_least
        FROM kanon.combined
    ) AS combined
    JOIN kanon.tuples ON tuples.tuple = combined.tuple
    WHERE tuples.row_count < $k
    GROUP BY combined.tuple
    HAVING max(combined.at_least) > 0
) AS found
