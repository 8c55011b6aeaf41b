-- Answers: the groups after the chosen exchanges.
-- Reads: members, the points by their groups (cell, part, further columns); chosen, exchanges that do not touch each
-- other (part, other, cell, partner).
-- Takes: nothing.
-- Gives: the table members (cell, part, further columns).
CREATE OR REPLACE TEMP TABLE members AS
SELECT members.* REPLACE (coalesce(goes.target, members.part) AS part)
FROM members
LEFT JOIN (
    SELECT cell, other AS target
    FROM chosen
    UNION ALL
    SELECT partner AS cell, part AS target
    FROM chosen
    WHERE partner > 0
) AS goes ON goes.cell = members.cell
