-- Answers: how many classes there are.
-- Reads: members, the tuples of each class (part).
-- Takes: nothing.
-- Gives: classes.
SELECT count(DISTINCT part) AS classes
FROM members
