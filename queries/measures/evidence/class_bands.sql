-- Answers: the classes of the release by their sizes, with the loss of their labels, which is added as decimals: the
-- sum is the same in every order.
-- Reads: tuples, the classes of the release (item_name, row_count); item_costs, of each quasi-identifier the losses of
-- its labels (label, cost).
-- Takes: item_name, of each quasi-identifier the column of its labels; width, how many they are; $highs and $lows, the
-- ends of the bands.
-- Gives: low, high, class_total, row_total, loss_total, without_loss.
SELECT
    bands.low,
    bands.high,
    count(*) AS class_total,
    CAST(sum(classes.size) AS BIGINT) AS row_total,
    CAST(sum(CAST(classes.size * classes.loss AS DECIMAL(38, 15))) AS DOUBLE) AS loss_total,
    count(CASE WHEN classes.loss IS NULL THEN 1 END) AS without_loss
FROM (
    SELECT tuples.row_count AS size, (SUM_OF(item_costs.cost)) / CAST(width AS DOUBLE) AS loss
    FROM tuples
    LEFT JOIN item_costs ON item_costs.label IS NOT DISTINCT FROM tuples.item_name
) AS classes
JOIN (
    SELECT unnest(CAST($lows AS BIGINT[])) AS low, unnest(CAST($highs AS BIGINT[])) AS high
) AS bands ON classes.size BETWEEN bands.low AND bands.high
GROUP BY bands.low, bands.high
ORDER BY bands.low
