-- Answers: the sets of one fact that persons have.
-- Reads: fact_lists, the facts of each person in order (person, class, facts).
-- Takes: nothing.
-- Gives: rows (person, class, facts, members, place), place that of the last member in the list.
SELECT person, class, facts, [facts[place]] AS members, place
FROM (
    SELECT person, class, facts, unnest(range(1, len(facts) + 1)) AS place
    FROM fact_lists
) AS places
