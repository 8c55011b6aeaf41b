-- Answers: the sets of one fact more, which stands behind the others in the list of the person.
-- Reads: smaller, sets of facts of each person (person, class, facts, members, place).
-- Takes: nothing.
-- Gives: rows (person, class, facts, members, place).
SELECT person, class, facts, list_append(members, facts[place]) AS members, place
FROM (
    SELECT person, class, facts, members, unnest(range(place + 1, len(facts) + 1)) AS place
    FROM smaller
) AS places
