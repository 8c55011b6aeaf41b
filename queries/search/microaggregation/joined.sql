-- Answers: the groups after some joined others.
-- Reads: members, the points by their groups (cell, part, further columns); joins, which group joins which (part,
-- other).
-- Takes: nothing.
-- Gives: the table members (cell, part, further columns).
CREATE OR REPLACE TEMP TABLE members AS
SELECT members.* REPLACE (coalesce(joins.other, members.part) AS part)
FROM members
LEFT JOIN joins ON joins.part = members.part
