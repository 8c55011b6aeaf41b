-- Answers: of which facts, as they are, a generalization is released with each person, and the loss of all pairs.
-- Reads: person_leaves, whose facts are known (person, leaf); persons, the class of each who is released (person,
-- class, is_released); numbered, what each fact becomes in each class (class, leaf, fact, loss); kept, the facts that
-- are kept of each person (person, fact).
-- Takes: nothing.
-- Gives: the table kept_leaves (person, leaf, loss).
CREATE OR REPLACE TEMP TABLE kept_leaves AS
SELECT person_leaves.person, person_leaves.leaf, numbered.loss
FROM person_leaves
JOIN persons ON persons.person = person_leaves.person
JOIN numbered ON numbered.class = persons.class AND numbered.leaf = person_leaves.leaf
JOIN kept ON kept.person = person_leaves.person AND kept.fact = numbered.fact
WHERE persons.is_released
