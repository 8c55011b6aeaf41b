-- Answers: what the squared distances from the centres shrink by where a cell goes to a group that it is nearer to,
-- alone or in exchange for one of that group. The centre of a group without a cell follows from the distances of the
-- three.
-- Reads: wishes, cells that are nearer to another group (cell, part, axis_coordinate, axis_centre, row_count, total,
-- off, other, axis_other_centre, other_total, away); members, the points by their groups (cell, part, axis_coordinate,
-- row_count).
-- Takes: axis_coordinate, axis_centre and axis_other_centre, of each axis its columns; $k, the fewest rows of a group;
-- $least, what it takes at least.
-- Gives: further rows of the table exchanges (part, other, cell, partner, gain), partner 0 for none.
INSERT INTO exchanges
SELECT part, other, cell, 0 AS partner, gain
FROM (
    SELECT
        *,
        row_count * total / (total - row_count) * off
        - row_count * other_total / (other_total + row_count) * away AS gain
    FROM wishes
    WHERE total - row_count >= $k
) AS moves
WHERE gain > $least
UNION ALL
SELECT part, other, cell, partner, gain
FROM (
    SELECT
        part,
        other,
        cell,
        partner,
        row_count * total / rest * off
        + CASE WHEN other_rest > 0 THEN partner_count * other_total / other_rest * partner_off ELSE 0 END
        - partner_count * rest / (rest + partner_count) * (
            partner_away * (1 + row_count / rest)
            + off * (row_count / rest) * (1 + row_count / rest)
            - between_them * (row_count / rest)
        )
        - CASE
            WHEN other_rest > 0
                THEN row_count * other_rest / (other_rest + row_count) * (
                    away * (1 + partner_count / other_rest)
                    + partner_off * (partner_count / other_rest) * (1 + partner_count / other_rest)
                    - between_them * (partner_count / other_rest)
                )
            ELSE 0
        END AS gain
    FROM (
        SELECT
            wishes.part,
            wishes.other,
            wishes.cell,
            wishes.row_count,
            wishes.total,
            wishes.off,
            wishes.other_total,
            wishes.away,
            wishes.total - wishes.row_count AS rest,
            members.cell AS partner,
            members.row_count AS partner_count,
            wishes.other_total - members.row_count AS other_rest,
            SUM_OF(
                (members.axis_coordinate - wishes.axis_other_centre)
                * (members.axis_coordinate - wishes.axis_other_centre)
            ) AS partner_off,
            SUM_OF(
                (members.axis_coordinate - wishes.axis_centre) * (members.axis_coordinate - wishes.axis_centre)
            ) AS partner_away,
            SUM_OF(
                (members.axis_coordinate - wishes.axis_coordinate)
                * (members.axis_coordinate - wishes.axis_coordinate)
            ) AS between_them
        FROM wishes
        JOIN members ON members.part = wishes.other
        WHERE
            wishes.total - wishes.row_count + members.row_count >= $k
            AND wishes.other_total - members.row_count + wishes.row_count >= $k
    ) AS paired
) AS swaps
WHERE gain > $least
