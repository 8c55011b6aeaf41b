-- Answers: the groups after some joined others.
-- Reads: members, the group of each cell (cell, part); joins, which group joins which (part, other).
-- Takes: nothing.
-- Gives: the table members (cell, part).
CREATE OR REPLACE TEMP TABLE members AS
SELECT members.cell, coalesce(joins.other, members.part) AS part
FROM members
LEFT JOIN joins ON joins.part = members.part
