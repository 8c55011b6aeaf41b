-- Answers: how many rows each combined tuple stands for at most: for each value joined on, no more than either release
-- has of it, and no more than the pairs of combinations allow one by one.
-- Reads: combined, the pairs of tuples of both releases with the values that both leave open (tuple, shared, left_rows,
-- right_rows, left_number, right_number).
-- Takes: nothing.
-- Gives: the table tuples (tuple, row_count).
CREATE OR REPLACE TEMP TABLE kanon.tuples AS
SELECT paired.tuple, CAST(sum(least(lefts.row_count, rights.row_count, paired.row_count)) AS BIGINT) AS row_count
FROM (
    SELECT tuple, shared, sum(least(left_rows, right_rows)) AS row_count
    FROM kanon.combined
    GROUP BY tuple, shared
) AS paired
JOIN (
    SELECT tuple, shared, sum(left_rows) AS row_count
    FROM (SELECT DISTINCT tuple, shared, left_number, left_rows FROM kanon.combined) AS once
    GROUP BY tuple, shared
) AS lefts ON lefts.tuple = paired.tuple AND lefts.shared = paired.shared
JOIN (
    SELECT tuple, shared, sum(right_rows) AS row_count
    FROM (SELECT DISTINCT tuple, shared, right_number, right_rows FROM kanon.combined) AS once
    GROUP BY tuple, shared
) AS rights ON rights.tuple = paired.tuple AND rights.shared = paired.shared
GROUP BY paired.tuple
