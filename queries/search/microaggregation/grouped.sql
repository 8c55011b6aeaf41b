-- Answers: groups of at least k rows in each block, as MDAV makes them: again and again the point that is farthest from
-- the centre of those that are left, and the one farthest from that, each with its nearest. Blocks are grouped beside
-- each other, a step of all in each round. One that has fewer rows stays whole. Points are never sorted by block: a
-- group has k points at most, so that only those are sorted which are no farther from its seed than its k-th nearest.
-- Reads: blocks, points by their blocks (part, axis_coordinate, row_count, block).
-- Takes: axis_coordinate, of each axis its column; $k, the fewest rows of a group; $first and $last, from which block
-- to which.
-- Gives: further rows of the table grouped (cell, part), groups by the number of a cell of theirs.
INSERT INTO grouped
WITH RECURSIVE steps AS (
    SELECT block, part AS cell, row_count, axis_coordinate, CAST(NULL AS INTEGER) AS part
    FROM blocks
    WHERE block BETWEEN $first AND $last
    UNION ALL (
        WITH remaining AS (
            SELECT block, cell, row_count, axis_coordinate
            FROM steps
            WHERE part IS NULL
        ),

        sized AS (
            SELECT block, sum(row_count) AS total, sum(row_count * axis_coordinate) / sum(row_count) AS axis_coordinate
            FROM remaining
            GROUP BY block
        ),

        first_numbers AS (
            SELECT block, min(total) AS total, arg_max(cell, (distance, -cell)) AS seed
            FROM (
                SELECT
                    remaining.block,
                    remaining.cell,
                    sized.total,
                    sqrt(
                        SUM_OF(
                            (remaining.axis_coordinate - sized.axis_coordinate)
                            * (remaining.axis_coordinate - sized.axis_coordinate)
                        )
                    ) AS distance
                FROM remaining
                JOIN sized ON sized.block = remaining.block
            ) AS from_centre
            GROUP BY block
        ),

        first_seeds AS (
            SELECT first_numbers.block, first_numbers.total, first_numbers.seed, remaining.axis_coordinate
            FROM remaining
            JOIN first_numbers ON first_numbers.seed = remaining.cell
        ),

        from_first AS (
            SELECT
                remaining.*,
                first_seeds.seed,
                first_seeds.total,
                sqrt(
                    SUM_OF(
                        (remaining.axis_coordinate - first_seeds.axis_coordinate)
                        * (remaining.axis_coordinate - first_seeds.axis_coordinate)
                    )
                ) AS distance
            FROM remaining
            JOIN first_seeds ON first_seeds.block = remaining.block
        ),

        second_numbers AS (
            SELECT block, arg_max(cell, (distance, -cell)) AS other_seed, list_max(min(distance, $k)) AS farthest
            FROM from_first
            GROUP BY block
        ),

        last_of_first AS (
            SELECT block, max((distance, cell)) AS last_point
            FROM (
                SELECT
                    from_first.block,
                    from_first.distance,
                    from_first.cell,
                    sum(from_first.row_count) OVER (
                        PARTITION BY from_first.block
                        ORDER BY from_first.distance, from_first.cell ROWS UNBOUNDED PRECEDING
                    ) - from_first.row_count AS rows_before
                FROM from_first
                JOIN second_numbers ON second_numbers.block = from_first.block
                WHERE from_first.distance <= second_numbers.farthest
            ) AS sorted
            WHERE rows_before < $k
            GROUP BY block
        ),

        second_seeds AS (
            SELECT
                second_numbers.block,
                second_numbers.other_seed,
                struct_extract_at(last_of_first.last_point, 1) AS last_distance,
                struct_extract_at(last_of_first.last_point, 2) AS last_cell,
                remaining.axis_coordinate
            FROM remaining
            JOIN second_numbers ON second_numbers.other_seed = remaining.cell
            JOIN last_of_first ON last_of_first.block = second_numbers.block
        ),

        from_second AS (
            SELECT
                from_first.* EXCLUDE (distance),
                second_seeds.other_seed,
                from_first.distance < second_seeds.last_distance
                OR (from_first.distance = second_seeds.last_distance AND from_first.cell <= second_seeds.last_cell)
                    AS is_near,
                sqrt(
                    SUM_OF(
                        (from_first.axis_coordinate - second_seeds.axis_coordinate)
                        * (from_first.axis_coordinate - second_seeds.axis_coordinate)
                    )
                ) AS distance
            FROM from_first
            JOIN second_seeds ON second_seeds.block = from_first.block
        ),

        last_of_second AS (
            SELECT block, max((distance, cell)) AS last_point
            FROM (
                SELECT
                    from_second.block,
                    from_second.distance,
                    from_second.cell,
                    sum(from_second.row_count) OVER (
                        PARTITION BY from_second.block
                        ORDER BY from_second.distance, from_second.cell ROWS UNBOUNDED PRECEDING
                    ) - from_second.row_count AS rows_before
                FROM from_second
                JOIN (
                    SELECT block, list_max(min(distance, $k)) AS farthest
                    FROM from_second
                    WHERE NOT is_near
                    GROUP BY block
                ) AS reach ON reach.block = from_second.block
                WHERE NOT from_second.is_near AND from_second.distance <= reach.farthest
            ) AS sorted
            WHERE rows_before < $k
            GROUP BY block
        )

        SELECT
            from_second.block,
            from_second.cell,
            from_second.row_count,
            from_second.axis_coordinate,
            CASE
                WHEN from_second.total < 2 * $k OR from_second.is_near THEN from_second.seed
                WHEN from_second.total < 3 * $k
                    OR (from_second.distance, from_second.cell) <= last_of_second.last_point
                    THEN from_second.other_seed
            END AS part
        FROM from_second
        LEFT JOIN last_of_second ON last_of_second.block = from_second.block
    )
)

SELECT cell, part
FROM steps
WHERE part IS NOT NULL
