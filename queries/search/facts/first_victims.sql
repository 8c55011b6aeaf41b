-- Answers: the facts of persons that are suppressed in a turn, to begin with those that come first.
-- Reads: victims, the fact of a person to suppress next (person, fact).
-- Takes: nothing.
-- Gives: the table of_all (person, fact).
CREATE OR REPLACE TEMP TABLE of_all AS
SELECT person, fact
FROM victims
