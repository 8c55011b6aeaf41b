-- Answers: the prices of tuples; none yet.
-- Reads: spare, the rows that classes can lend (cell, cost).
-- Takes: nothing.
-- Gives: the table prices (cell, price).
CREATE OR REPLACE TEMP TABLE prices AS
SELECT cell, cost AS price
FROM spare
WHERE FALSE
