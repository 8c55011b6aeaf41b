-- Answers: the active labels that are worth taking.
-- Reads: wanted, the rows that labels would take (label, value).
-- Takes: nothing.
-- Gives: the table opened (label, value).
CREATE OR REPLACE TEMP TABLE opened AS
SELECT label, sum(value) AS value
FROM wanted
GROUP BY label
HAVING sum(value) < -1e-12
