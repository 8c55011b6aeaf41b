-- Answers: the groups without those that violate and are alone in their stratum, so that there is none to join: their
-- rows are suppressed.
-- Reads: members, the points by their groups (part, further columns); centres, the stratum of each group (part,
-- stratum); violating, the groups that violate (part).
-- Takes: nothing.
-- Gives: the table members, with the columns of what it reads.
CREATE OR REPLACE TEMP TABLE members AS
SELECT members.*
FROM members
WHERE NOT EXISTS (
    SELECT 1
    FROM (SELECT part, count(*) OVER (PARTITION BY stratum) AS groups FROM centres) AS counted
    JOIN violating ON violating.part = counted.part
    WHERE counted.groups = 1 AND counted.part = members.part
)
