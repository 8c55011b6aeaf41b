-- Answers: how few persons of a class have all of a set of facts that one of them has, over all sets of one size.
-- Reads: sets, the sets of facts of each person (class, members).
-- Takes: nothing.
-- Gives: one row (least), NULL where nobody has so many facts.
SELECT min(persons) AS least
FROM (
    SELECT count(*) AS persons
    FROM sets
    GROUP BY class, members
) AS counted
