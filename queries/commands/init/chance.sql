-- Answers: the share of pairs of rows that agree in a column by chance.
-- Reads: init_sample, some rows (item_key).
-- Takes: item_key, of each column its key; item_same, the name of what is given of it.
-- Gives: item_same.
SELECT
    list_sum(list_transform(map_values(histogram(coalesce(CAST(item_key AS VARCHAR), ''))), lambda x: x * x)) / (count(*) * count(*)) AS item_same
FROM kanon.init_sample
