-- Answers: the number of each fact in each class of persons, where a fact of one class is another than that of
-- another.
-- Reads: person_leaves, whose facts are known as they are (person, leaf); persons, the class of each who is released
-- (person, class, is_released); generalized, what each fact becomes at the levels (leaf, fact, loss).
-- Takes: nothing.
-- Gives: the table numbered (class, leaf, fact, loss), facts numbered from 1 in the order of classes and facts.
CREATE OR REPLACE TEMP TABLE numbered AS
SELECT
    present.class,
    present.leaf,
    dense_rank() OVER (ORDER BY present.class, generalized.fact) AS fact,
    generalized.loss
FROM (
    SELECT persons.class, person_leaves.leaf
    FROM person_leaves
    JOIN persons ON persons.person = person_leaves.person
    WHERE persons.is_released
    GROUP BY persons.class, person_leaves.leaf
) AS present
JOIN generalized ON generalized.leaf = present.leaf
