-- Answers: how far values are from the mean of their class, and from the mean of all: the sums of the squares. Those of
-- suppressed rows, whose part is NULL, are from the mean of all in both.
-- Reads: held, the values of each class (part, number, row_count).
-- Takes: nothing.
-- Gives: one row: within, total.
SELECT
    coalesce(sum(row_count * pow(value - CASE WHEN part IS NULL THEN mean_of_all ELSE mean_of_class END, 2)), 0.0)
        AS within,
    coalesce(sum(row_count * pow(value - mean_of_all, 2)), 0.0) AS total
FROM (
    SELECT
        part,
        row_count,
        value,
        sum(value * row_count) OVER () / sum(row_count) OVER () AS mean_of_all,
        sum(value * row_count) OVER (PARTITION BY part) / sum(row_count) OVER (PARTITION BY part) AS mean_of_class
    FROM (SELECT part, row_count, CAST(number AS DOUBLE) AS value FROM held) AS numbers
) AS averaged
