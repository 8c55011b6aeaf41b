-- Answers: how many persons have each fact that is kept.
-- Reads: kept, the facts that are kept of each person (person, fact).
-- Takes: nothing.
-- Gives: the table support (fact, persons).
CREATE OR REPLACE TEMP TABLE support AS
SELECT fact, count(*) AS persons
FROM kept
GROUP BY fact
