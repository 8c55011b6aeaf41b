-- Answers: the rows of each class, from which position to which each dimension goes, and what a row loses there.
-- Reads: cells, the distinct tuples, numbered (cell, this_position); classed, tuples with the class of each (part,
-- cell, row_count); costed, the spans with what they lose (all columns).
-- Takes: this_high and this_low, of each dimension the least and the greatest position; this_position, of each
-- dimension the column of positions.
-- Gives: the table class_costs (part, size, this_low, this_high, cost), and where that is lost.
CREATE OR REPLACE TEMP TABLE class_costs AS
WITH spanned AS (
    SELECT
        classed.part,
        CAST(sum(classed.row_count) AS BIGINT) AS size,
        min(CAST(cells.this_position AS BIGINT)) AS this_low,
        max(CAST(cells.this_position AS BIGINT)) AS this_high
    FROM cells
    JOIN classed ON classed.cell = cells.cell
    GROUP BY classed.part
)
SELECT *
FROM costed
