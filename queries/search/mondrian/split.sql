-- Answers: all tuples after the cuts of a round: those of partitions that are cut under the numbers of their new
-- partitions. A new partition stays live along the dimensions of the old one if it is large enough; one without a cut
-- is finished.
-- Reads: open_tuples, the tuples with the partition of each and the dimensions along which it is live (part,
-- this_position, row_count); cuts, the cut of each partition (live, number, left_rows, row_count, low, high, part,
-- dimension).
-- Takes: this_number, the number of the dimension; this_position, of each dimension the column of positions; $first,
-- the number of the first new partition; $k, the fewest rows of a class.
-- Gives: the table next_tuples (part, this_position, row_count, live).
CREATE OR REPLACE TEMP TABLE next_tuples AS
SELECT
    CAST(
        CASE
            WHEN number IS NULL THEN part
            WHEN is_left THEN $first + 2 * number
            ELSE $first + 2 * number + 1
        END AS UINTEGER
    ) AS part,
    this_position,
    row_count,
    CASE WHEN is_open THEN live ELSE 0 END AS live
FROM (
    SELECT
        part,
        this_position,
        row_count,
        live,
        number,
        is_left,
        number IS NOT NULL AND CASE WHEN is_left THEN left_rows ELSE all_rows - left_rows END >= 2 * $k AS is_open
    FROM (
        SELECT
            open_tuples.part,
            open_tuples.this_position,
            open_tuples.row_count,
            cuts.live,
            cuts.number,
            cuts.left_rows,
            cuts.row_count AS all_rows,
            ANY_OF(cuts.dimension = this_number AND open_tuples.this_position BETWEEN cuts.low AND cuts.high) AS is_left
        FROM open_tuples
        LEFT JOIN cuts ON cuts.part = open_tuples.part
    ) AS sided
) AS weighed
