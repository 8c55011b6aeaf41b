-- Answers: which facts of persons, as they are, no released row would tell: each row that tells one goes through a row
-- with a fact that is not kept.
-- Reads: carriers, the facts that rows tell, and which others each such row needs (person, leaf, needed); persons, the
-- class of each who is released (person, class); numbered, what each fact becomes in each class (class, leaf, fact);
-- kept, the facts that are kept of each person (person, fact).
-- Takes: nothing.
-- Gives: the table untold_leaves (person, leaf).
CREATE OR REPLACE TEMP TABLE untold_leaves AS
WITH
needs AS (
    SELECT person, leaf, needed, unnest(needed) AS needed_leaf
    FROM carriers
),
released AS (
    SELECT needs.person, needs.leaf
    FROM needs
    JOIN persons ON persons.person = needs.person
    JOIN numbered ON numbered.class = persons.class AND numbered.leaf = needs.needed_leaf
    LEFT JOIN kept ON kept.person = needs.person AND kept.fact = numbered.fact
    GROUP BY needs.person, needs.leaf, needs.needed
    HAVING count(*) = count(kept.fact)
)
SELECT carriers.person, carriers.leaf
FROM carriers
ANTI JOIN released ON released.person = carriers.person AND released.leaf = carriers.leaf
GROUP BY carriers.person, carriers.leaf
