-- Answers: groups of at least k rows in each block, as MDAV makes them: again and again the point that is farthest from
-- the centre of those that are left, and the one farthest from that, each with its nearest. Blocks are grouped beside
-- each other, a step of all in each round. One that has fewer rows stays whole.
-- Reads: blocks, points by their blocks (part, row_count, point, block).
-- Takes: axis_number, of each axis its place in a point, from 1; $k, the fewest rows of a group; $first and $last, from
-- which block to which.
-- Gives: further rows of the table grouped (cell, part), groups by the number of a cell of theirs.
INSERT INTO grouped
WITH RECURSIVE steps AS (
    SELECT block, part AS cell, row_count, point, CAST(NULL AS INTEGER) AS part
    FROM blocks
    WHERE block BETWEEN $first AND $last
    UNION ALL (
        WITH remaining AS (
            SELECT block, cell, row_count, point
            FROM steps
            WHERE part IS NULL
        ),

        sized AS (
            SELECT
                block,
                sum(row_count) AS total,
                [LIST_OF(sum(row_count * list_extract(point, axis_number)) / sum(row_count))] AS centre
            FROM remaining
            GROUP BY block
        ),

        first_seeds AS (
            SELECT
                remaining.block,
                arg_max(remaining.cell, (list_distance(remaining.point, sized.centre), -remaining.cell)) AS seed
            FROM remaining
            JOIN sized ON sized.block = remaining.block
            GROUP BY remaining.block
        ),

        from_first AS (
            SELECT remaining.*, first_seeds.seed, list_distance(remaining.point, seeds.point) AS distance
            FROM remaining
            JOIN first_seeds ON first_seeds.block = remaining.block
            JOIN remaining AS seeds ON seeds.cell = first_seeds.seed
        ),

        second_seeds AS (
            SELECT block, arg_max(cell, (distance, -cell)) AS seed
            FROM from_first
            GROUP BY block
        ),

        near_first AS (
            SELECT
                *,
                sum(row_count) OVER (PARTITION BY block ORDER BY distance, cell ROWS UNBOUNDED PRECEDING) - row_count < $k
                    AS is_near
            FROM from_first
        ),

        near_second AS (
            SELECT
                near_first.*,
                seeds.cell AS other_seed,
                sum(near_first.row_count) OVER (
                    PARTITION BY near_first.block, near_first.is_near
                    ORDER BY list_distance(near_first.point, seeds.point), near_first.cell ROWS UNBOUNDED PRECEDING
                ) AS rows_so_far
            FROM near_first
            JOIN second_seeds ON second_seeds.block = near_first.block
            JOIN remaining AS seeds ON seeds.cell = second_seeds.seed
        )

        SELECT
            near_second.block,
            near_second.cell,
            near_second.row_count,
            near_second.point,
            CASE
                WHEN sized.total < 2 * $k OR near_second.is_near THEN near_second.seed
                WHEN sized.total < 3 * $k OR near_second.rows_so_far - near_second.row_count < $k
                    THEN near_second.other_seed
            END AS part
        FROM near_second
        JOIN sized ON sized.block = near_second.block
    )
)

SELECT cell, part
FROM steps
WHERE part IS NOT NULL
