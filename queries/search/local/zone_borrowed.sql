-- Answers: the rows that these labels borrow.
-- Reads: zone_takers, the tuples that take labels of zones (zone, label, score, lacking); zone_fillers, the tuples
-- that can lend rows to labels (zone, label, cell, added); lendable, the rows that can be lent (cell, row_count).
-- Takes: nothing.
-- Gives: the table zone_borrowed (zone, label, cell, row_count, added, is_refused).
CREATE OR REPLACE TEMP TABLE zone_borrowed AS
WITH wanted AS (
    SELECT
        labels.zone,
        labels.label,
        labels.score,
        zone_fillers.cell,
        zone_fillers.added,
        lendable.row_count AS in_all,
        least(lendable.row_count, labels.lacking - (
            CAST(sum(lendable.row_count) OVER cheapest_first AS BIGINT) - lendable.row_count
        )) AS row_count
    FROM (SELECT DISTINCT zone, label, score, lacking FROM zone_takers WHERE lacking > 0) AS labels
    JOIN zone_fillers ON zone_fillers.zone = labels.zone AND zone_fillers.label = labels.label
    JOIN lendable ON lendable.cell = zone_fillers.cell
    WHERE lendable.row_count > 0
    WINDOW cheapest_first AS (
        PARTITION BY labels.zone, labels.label
        ORDER BY zone_fillers.added, zone_fillers.cell
        ROWS UNBOUNDED PRECEDING
    )
),
asked AS (
    SELECT *, sum(row_count) OVER (PARTITION BY cell ORDER BY score, zone, label) > in_all AS is_short
    FROM wanted
    WHERE row_count > 0
)
SELECT zone, label, cell, CAST(row_count AS BIGINT) AS row_count, added,
    bool_or(is_short) OVER (PARTITION BY zone, label) AS is_refused
FROM asked
