-- Answers: the distinct tuples, numbered, each as a point in the space of all dimensions.
-- Reads: frequency, the frequency table (this_position, row_count); this_coordinates, of each dimension where its
-- positions lie (position, coordinate, missing).
-- Takes: absent_coordinates, of each dimension with missing values where its positions lie; this_position, of each
-- dimension the column of positions.
-- Gives: the table cells (cell, this_position, row_count, point, absent).
CREATE OR REPLACE TEMP TABLE cells AS
SELECT
    CAST(row_number() OVER (ORDER BY [LIST_OF(CAST(frequency.this_position AS BIGINT))]) AS INTEGER) AS cell,
    frequency.this_position,
    CAST(frequency.row_count AS BIGINT) AS row_count,
    list_concat(
        CAST([LIST_OF(this_coordinates.coordinate)] AS DOUBLE[]), CAST([LIST_OF(absent_coordinates.missing)] AS DOUBLE[])
    ) AS point,
    CAST([LIST_OF(absent_coordinates.missing)] AS DOUBLE[]) AS absent
FROM frequency
JOIN this_coordinates ON this_coordinates.position = frequency.this_position
