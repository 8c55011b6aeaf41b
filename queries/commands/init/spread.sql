-- Answers: between which numbers the values of columns lie, without the rarest at each end.
-- Reads: init_sample, some rows (item_key).
-- Takes: item_key, of each column its key; item_low and item_high, of each column the names of what is given;
-- $share, the share of the rows at each end that is left out.
-- Gives: item_low, item_high.
SELECT
    quantile_disc(TRY_CAST(item_key AS DOUBLE), CAST($share AS DOUBLE)) AS item_low,
    quantile_disc(TRY_CAST(item_key AS DOUBLE), CAST(1 - $share AS DOUBLE)) AS item_high
FROM kanon.init_sample
