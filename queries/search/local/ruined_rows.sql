-- Answers: the rows that the classes of each zone give up, and their prices, which chance raises or lowers.
-- Reads: labelled, the tuples of each label with a class (label, cell, row_count); ruined, the classes of each zone
-- (label, zone); prices, the prices of tuples (cell, price).
-- Takes: $noise, the share by which a price changes at most; $seed, a number for what chance decides; $units, how many
-- units a loss of 1 has.
-- Gives: the table ruined_rows (zone, cell, row_count, price).
CREATE OR REPLACE TEMP TABLE ruined_rows AS
SELECT
    ruined.zone,
    labelled.cell,
    CAST(sum(labelled.row_count) AS BIGINT) AS row_count,
    round(any_value(prices.price) * (1 + $noise * (hash(labelled.cell + $seed) % 1000 / 500 - 1)) * $units) / $units
        AS price
FROM labelled
JOIN ruined ON ruined.label = labelled.label
JOIN prices ON prices.cell = labelled.cell
GROUP BY ruined.zone, labelled.cell
