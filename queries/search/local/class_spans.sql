-- The rows of each class, and from which position to which each dimension goes.
SELECT
    classed.part,
    CAST(sum(classed.row_count) AS BIGINT) AS size,
    min(CAST(cells.this_position AS BIGINT)) AS this_low,
    max(CAST(cells.this_position AS BIGINT)) AS this_high
FROM cells
JOIN classed ON classed.cell = cells.cell
GROUP BY classed.part
