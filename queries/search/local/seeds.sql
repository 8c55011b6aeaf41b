-- Answers: the classes that zones are made around, one of twelve; those with more loss beyond prices more often.
-- Reads: labelled, the tuples of each label with a class (label, cell, row_count, cost); prices, the prices of tuples
-- (cell, price).
-- Takes: $seed, a number for what chance decides; $widest, how many classes join a seed at most.
-- Gives: the table seeds (label, steps).
CREATE OR REPLACE TEMP TABLE seeds AS
SELECT label, 1 + hash(label + $seed + 1) % $widest AS steps
FROM (
    SELECT
        labelled.label,
        greatest(0, sum(labelled.row_count * (labelled.cost - prices.price))) AS excess
    FROM labelled
    JOIN prices ON prices.cell = labelled.cell
    WHERE labelled.cost > 0
    GROUP BY labelled.label
) AS dear
QUALIFY
    row_number() OVER (ORDER BY -ln((hash(label + $seed) % 1000003 + 1) / 1000004) / (0.02 + excess), label)
    <= 1 + count(*) OVER () // 12
