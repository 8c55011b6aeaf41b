-- Answers: all tuples after the cuts of a round: those of partitions that are halved under the numbers of their new
-- ones. A tuple that ties at the median may be in both, with some of its rows in each: ties go by the other dimensions,
-- the widest first, then by their own leaves.
-- Reads: open_tuples, the tuples with the partition of each and the dimensions along which it is live (part,
-- this_position, row_count); cuts, the cut of each partition (live, number, left_rows, left_of_tie, row_count, part,
-- places, dimension, low, high).
-- Takes: this_number, the number of the dimension; this_position, of each dimension the column of positions; $first,
-- the number of the first new partition; $k, the fewest rows of a class.
-- Gives: the table next_tuples (part, this_position, row_count, live).
CREATE OR REPLACE TEMP TABLE next_tuples AS
WITH sided AS (
    SELECT
        open_tuples.part,
        open_tuples.this_position,
        open_tuples.row_count,
        cuts.live,
        cuts.number,
        cuts.left_rows,
        cuts.row_count AS all_rows,
        cuts.left_of_tie,
        CASE
            WHEN ANY_OF(cuts.dimension = this_number AND open_tuples.this_position < cuts.low) THEN 'left'
            WHEN ANY_OF(cuts.dimension = this_number AND open_tuples.this_position > cuts.high) THEN 'right'
            ELSE 'tie'
        END AS side,
        list_append(
            list_select(
                [LIST_OF(CASE WHEN cuts.dimension = this_number THEN 0 ELSE CAST(open_tuples.this_position AS BIGINT) END)],
                cuts.places
            ),
            [LIST_OF(CAST(open_tuples.this_position AS BIGINT))][cuts.dimension + 1]
        ) AS others
    FROM open_tuples
    JOIN cuts ON cuts.part = open_tuples.part
),
dealt AS (
    SELECT
        *,
        CASE side
            WHEN 'left' THEN row_count
            WHEN 'right' THEN 0
            ELSE least(
                row_count,
                greatest(
                    0,
                    left_of_tie + row_count - CAST(
                        sum(row_count) OVER (PARTITION BY part, side ORDER BY others ROWS UNBOUNDED PRECEDING) AS BIGINT
                    )
                )
            )
        END AS left_count
    FROM sided
)
SELECT
    CAST($first + 2 * number AS UINTEGER) AS part,
    this_position,
    left_count AS row_count,
    CASE WHEN left_rows >= 2 * $k THEN live ELSE 0 END AS live
FROM dealt
WHERE left_count > 0
UNION ALL
SELECT
    CAST($first + 2 * number + 1 AS UINTEGER) AS part,
    this_position,
    row_count - left_count AS row_count,
    CASE WHEN all_rows - left_rows >= 2 * $k THEN live ELSE 0 END AS live
FROM dealt
WHERE row_count > left_count
UNION ALL
SELECT part, this_position, row_count, 0 AS live
FROM open_tuples
WHERE NOT EXISTS (SELECT 1 FROM cuts WHERE cuts.part = open_tuples.part)
