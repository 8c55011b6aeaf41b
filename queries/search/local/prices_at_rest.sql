-- Answers: the same prices, without a direction.
-- Reads: best_prices, the best prices of the active labels (cell, row_count, price, ceiling).
-- Takes: nothing.
-- Gives: the table prices (cell, row_count, price, direction, ceiling).
CREATE OR REPLACE TEMP TABLE prices AS
SELECT cell, row_count, price, CAST(0 AS DOUBLE) AS direction, ceiling
FROM best_prices
