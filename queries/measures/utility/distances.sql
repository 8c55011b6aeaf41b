-- Answers: how far the release is from the source in one column. Total variation is half the sum of the differences of
-- the shares; the earth mover's distance of ranks is the sum of the differences of the shares up to each rank but the
-- last, divided by the number of steps from the first to the last.
-- Reads: shares, the rows of source and release at each rank (rank, source_rows, released_rows).
-- Takes: nothing.
-- Gives: total_variation, earth_mover.
SELECT
    sum(abs(difference)) / 2 AS total_variation,
    sum(abs(so_far)) / greatest(max(rank), 1) AS earth_mover
FROM (
    SELECT
        rank,
        difference,
        sum(difference) OVER (ORDER BY rank ROWS UNBOUNDED PRECEDING) AS so_far
    FROM (
        SELECT
            rank,
            source_rows / sum(source_rows) OVER () - released_rows / sum(released_rows) OVER () AS difference
        FROM shares
    ) AS differences
) AS sums
