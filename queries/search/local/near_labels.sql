-- Answers: labels that could be worth less than `most`, and what they are worth at least, where each row below them
-- that is not known loses the margin more than its price: that is what they are worth, where k rows are known.
-- Reads: priced_pairs, the tuples with the labels near their prices (label, cost, row_count, reduced).
-- Takes: $k, the fewest rows of a class; $margin, from which on pairs are not known; $most; $label_shift, by how many
-- bits the first half label is shifted.
-- Gives: the table near_labels (label, label_a, label_b, cost, value, is_known).
CREATE OR REPLACE TEMP TABLE near_labels AS
WITH near AS (
    SELECT label
    FROM priced_pairs
    GROUP BY label
    HAVING min(reduced) < 0
        AND sum(row_count * least(reduced, 0)) + $margin * greatest(0, $k - sum(row_count)) < $most
),
filled AS (
    SELECT
        priced_pairs.*,
        sum(row_count) OVER (PARTITION BY label ORDER BY reduced ROWS UNBOUNDED PRECEDING) - row_count AS rows_before
    FROM priced_pairs
    SEMI JOIN near ON near.label = priced_pairs.label
)
SELECT
    label,
    label >> $label_shift AS label_a,
    label & ((CAST(1 AS BIGINT) << $label_shift) - 1) AS label_b,
    any_value(cost) AS cost,
    sum(CASE WHEN reduced < 0 THEN row_count ELSE greatest(0, least(row_count, $k - rows_before)) END * reduced)
        + $margin * greatest(0, $k - sum(row_count)) AS value,
    sum(row_count) >= $k AS is_known
FROM filled
GROUP BY label
HAVING value < $most
