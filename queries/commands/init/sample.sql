-- Answers: some of the rows, drawn by what they hold, so that the same rows are drawn whatever their order.
-- Reads: source, the rows of the source (item_key).
-- Takes: drawn_by, a number of each row; item_key, of each column its key in the source; item_value, of each column its
-- value; step, one of how many rows is drawn.
-- Gives: the table init_sample (item_key).
CREATE OR REPLACE TEMP TABLE kanon.init_sample AS
SELECT item_value AS item_key
FROM source
WHERE drawn_by % step = 0
