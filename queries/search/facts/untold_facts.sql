-- Answers: which facts of persons, at the levels of a node, no released row would tell.
-- Reads: carriers, the facts that rows tell (person, leaf); untold_leaves, those of them, as they are, that no released
-- row would tell (person, leaf); persons, the class of each who is released (person, class); numbered, what each fact
-- becomes in each class (class, leaf, fact).
-- Takes: nothing.
-- Gives: the table untold_facts (person, fact).
CREATE OR REPLACE TEMP TABLE untold_facts AS
SELECT carriers.person, numbered.fact
FROM carriers
JOIN persons ON persons.person = carriers.person
JOIN numbered ON numbered.class = persons.class AND numbered.leaf = carriers.leaf
LEFT JOIN untold_leaves ON untold_leaves.person = carriers.person AND untold_leaves.leaf = carriers.leaf
GROUP BY carriers.person, numbered.fact
HAVING count(*) = count(untold_leaves.leaf)
