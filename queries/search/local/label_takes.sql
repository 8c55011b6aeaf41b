-- Answers: the rows of labels that are the best of all that they would take, by what they lose a row beyond prices:
-- all rows that lose less than their price, and where these are not k the nearest of the others. Classes that stand,
-- or were made already, take each row that loses less there than its price and than elsewhere.
-- Reads: label_offers, labels on offer to rows of zones (zone, label, cell, row_count, cost, value, is_open).
-- Takes: $k, the fewest rows of a class.
-- Gives: the table label_takes (zone, label, cell, row_count, cost).
CREATE OR REPLACE TEMP TABLE label_takes AS
WITH taken AS (
    SELECT
        zone,
        label,
        cell,
        cost,
        value,
        is_open,
        CASE
            WHEN value < 0 THEN row_count
            WHEN is_open THEN 0
            ELSE greatest(0, least(row_count, $k - (CAST(sum(row_count) OVER nearest_first AS BIGINT) - row_count)))
        END AS row_count
    FROM label_offers
    WINDOW nearest_first AS (PARTITION BY zone, label ORDER BY value, cell ROWS UNBOUNDED PRECEDING)
),
scored AS (
    SELECT
        *,
        CASE WHEN is_open THEN value ELSE sum(value * row_count) OVER of_label / sum(row_count) OVER of_label END
            AS score
    FROM taken
    WHERE row_count > 0
    WINDOW of_label AS (PARTITION BY zone, label)
    QUALIFY is_open OR sum(row_count) OVER of_label >= $k
),
compared AS (
    SELECT *, row_number() OVER (PARTITION BY zone, cell ORDER BY score, label) = 1 AS is_best
    FROM scored
)
SELECT zone, label, cell, CAST(row_count AS BIGINT) AS row_count, cost
FROM compared
QUALIFY is_best AND (is_open OR bool_and(is_best) OVER (PARTITION BY zone, label))
