-- Answers: the facts that each person has at levels of the columns that tell them, and what each is worth: the loss
-- that suppressing it would add. With classes a fact of one class is another one than the same fact of another class.
-- Reads: person_leaves, whose facts are known as they are (person, leaf); persons, the class of each who is released
-- (person, class, is_released); numbered, what each fact becomes at the levels in each class (class, leaf, fact, loss
-- in millionths).
-- Takes: nothing.
-- Gives: the table held (person, fact, worth in millionths of a pair).
CREATE OR REPLACE TEMP TABLE held AS
SELECT person_leaves.person, numbered.fact, CAST(sum(1000000 - numbered.loss) AS BIGINT) AS worth
FROM person_leaves
JOIN persons ON persons.person = person_leaves.person
JOIN numbered ON numbered.class = persons.class AND numbered.leaf = person_leaves.leaf
WHERE persons.is_released
GROUP BY person_leaves.person, numbered.fact
