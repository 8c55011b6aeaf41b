-- Answers: of pairs of neighbouring rows that have one value of an id, how many agree in other columns.
-- Reads: init_sample, some rows (id_key, item_key).
-- Takes: id_key, the key of the id; item_key, of each other column its key; item_same, the name of what is given of it.
-- Gives: pairs, item_same.
SELECT
    CAST(sum(size - 1) AS BIGINT) AS pairs,
    CAST(sum(size - greatest(item_same, 1)) AS BIGINT) AS item_same
FROM (
    SELECT
        count(*) AS size,
        count(DISTINCT item_key) + max(CASE WHEN item_key IS NULL THEN 1 ELSE 0 END) AS item_same
    FROM kanon.init_sample
    WHERE id_key IS NOT NULL
    GROUP BY id_key
) AS grouped
