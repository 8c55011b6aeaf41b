-- Answers: the classes, those of these zones anew.
-- Reads: members, the tuples of each class, with their rows there (part, cell, row_count); gaining, the zones that
-- lose less, each a class (zone); standing, the tuples of each class, with the class of the tuple alone (part, cell,
-- row_count, home); spare, the classes of one tuple (part, cell); recreated, the tuples of new classes (zone, label,
-- cell, row_count, is_lent).
-- Takes: nothing.
-- Gives: the table members (part, cell, row_count).
CREATE OR REPLACE TEMP TABLE members AS
WITH made AS MATERIALIZED (
    SELECT
        (SELECT max(part) FROM members) + dense_rank() OVER (ORDER BY recreated.zone, recreated.label) AS part,
        recreated.cell,
        recreated.row_count,
        recreated.is_lent
    FROM recreated
    SEMI JOIN gaining ON gaining.zone = recreated.zone
),
stood AS (
    SELECT members.part, members.cell, members.row_count
    FROM members
    ANTI JOIN gaining ON gaining.zone = members.part
    UNION ALL
    SELECT standing.home AS part, standing.cell, standing.row_count
    FROM standing
    SEMI JOIN gaining ON gaining.zone = standing.part
    WHERE standing.home IS NOT NULL
    UNION ALL
    SELECT spare.part, made.cell, -made.row_count AS row_count
    FROM made
    JOIN spare ON spare.cell = made.cell
    WHERE made.is_lent
    UNION ALL
    SELECT part, cell, row_count
    FROM made
)
SELECT CAST(part AS INTEGER) AS part, cell, CAST(sum(row_count) AS BIGINT) AS row_count
FROM stood
GROUP BY part, cell
