-- Answers: the distinct tuples, numbered, each as a point in the space of all dimensions but those of the strata, the
-- tuples of one value in each of these.
-- Reads: frequency, the frequency table (this_position, row_count); near_coordinates, of each dimension of the space
-- where its positions lie (position, coordinate, missing).
-- Takes: absent_coordinates, of each dimension of the space with missing values where its positions lie; near_position
-- and stratum_position, of each dimension of the space and of the strata the column of positions; this_position, of
-- each dimension the column of positions.
-- Gives: the table cells (cell, this_position, row_count, point, absent, stratum).
CREATE OR REPLACE TEMP TABLE cells AS
SELECT
    CAST(row_number() OVER (ORDER BY [LIST_OF(CAST(frequency.this_position AS BIGINT))]) AS INTEGER) AS cell,
    frequency.this_position,
    CAST(frequency.row_count AS BIGINT) AS row_count,
    list_concat(
        CAST([LIST_OF(near_coordinates.coordinate)] AS DOUBLE[]), CAST([LIST_OF(absent_coordinates.missing)] AS DOUBLE[])
    ) AS point,
    CAST([LIST_OF(absent_coordinates.missing)] AS DOUBLE[]) AS absent,
    dense_rank() OVER (ORDER BY CAST([LIST_OF(frequency.stratum_position)] AS BIGINT[])) AS stratum
FROM frequency
JOIN near_coordinates ON near_coordinates.position = frequency.near_position
