-- Answers: the facts of persons that are suppressed in a turn, and those that come next.
-- Reads: of_all, those so far (person, fact); victims, the fact of a person to suppress next (person, fact).
-- Takes: nothing.
-- Gives: more rows of the table of_all.
INSERT INTO of_all
SELECT person, fact
FROM victims
