-- Answers: how far values are from the mean of their class, and from the mean of all: the sums of the squares. Those of
-- suppressed rows, whose part is NULL, are from the mean of all in both.
-- Reads: held, the values of each class (part, number, row_count).
-- Takes: nothing.
-- Gives: one row: within, total.
SELECT
    coalesce(
        sum(
            numbers.row_count
            * pow(numbers.value - CASE WHEN numbers.part IS NULL THEN of_all.mean ELSE of_class.mean END, 2)
        ),
        0.0
    ) AS within,
    coalesce(sum(numbers.row_count * pow(numbers.value - of_all.mean, 2)), 0.0) AS total
FROM (SELECT part, row_count, CAST(number AS DOUBLE) AS value FROM held) AS numbers
CROSS JOIN (SELECT sum(CAST(number AS DOUBLE) * row_count) / sum(row_count) AS mean FROM held) AS of_all
LEFT JOIN (
    SELECT part, sum(CAST(number AS DOUBLE) * row_count) / sum(row_count) AS mean
    FROM held
    GROUP BY part
) AS of_class ON of_class.part = numbers.part
