-- Answers: a sensitive column in all rows that take part: how often each value occurs, in order of the values, with the
-- rows up to there, the sum of these, and the share. Rank -1 stands before the first.
-- Reads: class_counts, how many rows of each class hold each value (value, row_count).
-- Takes: nothing.
-- Gives: the table reference (value, row_count, rank, cumulative, prefix, share).
CREATE OR REPLACE TEMP TABLE reference AS
SELECT
    value,
    row_count,
    CAST(row_number() OVER (ORDER BY value) - 1 AS BIGINT) AS rank,
    cumulative,
    CAST(sum(cumulative) OVER (ORDER BY value) AS HUGEINT) AS prefix,
    CAST(row_count AS DOUBLE) / sum(row_count) OVER () AS share
FROM (
    SELECT value, row_count, CAST(sum(row_count) OVER (ORDER BY value) AS BIGINT) AS cumulative
    FROM class_counts
) AS counted
UNION ALL
SELECT -1 AS value, 0 AS row_count, -1 AS rank, 0 AS cumulative, 0 AS prefix, 1 AS share
