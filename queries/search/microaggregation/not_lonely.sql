-- Answers: the groups without those that violate and are alone in their stratum, so that there is none to join: their
-- rows are suppressed.
-- Reads: members, the group of each cell (cell, part); centres, the stratum of each group (part, stratum);
-- violating, the groups that violate (part).
-- Takes: nothing.
-- Gives: the table members (cell, part).
CREATE OR REPLACE TEMP TABLE members AS
SELECT members.cell, members.part
FROM members
WHERE NOT EXISTS (
    SELECT 1
    FROM (SELECT part, count(*) OVER (PARTITION BY stratum) AS groups FROM centres) AS counted
    JOIN violating ON violating.part = counted.part
    WHERE counted.groups = 1 AND counted.part = members.part
)
