-- Answers: the pairs of a label and a tuple that raise what the prices prove by less than there is room for, if a row
-- is released so: by what the label's cheapest rows lose beyond their prices, and what the row does beyond the dearest.
-- Reads: priced_pairs, all tuples with the labels above them (label, cell, row_count, cost, reduced).
-- Takes: $k, the fewest rows of a class; $room; $pairs, how many at most.
-- Gives: label, cell, cost, raised.
WITH filled AS (
    SELECT
        *,
        sum(row_count) OVER (PARTITION BY label ORDER BY reduced, cell ROWS UNBOUNDED PRECEDING) - row_count AS rows_before
    FROM priced_pairs
),
used AS (
    SELECT
        *,
        CASE WHEN reduced < 0 THEN row_count ELSE greatest(0, least(row_count, $k - rows_before)) END AS used
    FROM filled
),
valued AS (
    SELECT
        *,
        greatest(0, sum(used * reduced) OVER (PARTITION BY label)) AS value,
        max(CASE WHEN used > 0 THEN greatest(0, reduced) ELSE 0 END) OVER (PARTITION BY label) AS dearest
    FROM used
)
SELECT label, cell, cost, value + CASE WHEN used > 0 THEN 0 ELSE greatest(0, reduced - dearest) END AS raised
FROM valued
WHERE raised < $room
ORDER BY raised, label, cell
LIMIT $pairs
