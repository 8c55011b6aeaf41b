-- Answers: how far values are from the mean of their class, and from the mean of all: the sums of the squares. Those of
-- suppressed rows, whose part is NULL, are from the mean of all in both. Values are counted from the least one, and
-- what rounding takes from a sum is kept: sums of large values that lie near each other would else depend on the order
-- of the rows.
-- Reads: held, the values of each class (part, number, row_count).
-- Takes: nothing.
-- Gives: one row: within, total.
WITH numbers AS (
    SELECT held.part, held.row_count, CAST(held.number - ends.least AS DOUBLE) AS value
    FROM held
    CROSS JOIN (SELECT min(number) AS least FROM held) AS ends
)

SELECT
    coalesce(
        fsum(
            numbers.row_count
            * pow(numbers.value - CASE WHEN numbers.part IS NULL THEN of_all.mean ELSE of_class.mean END, 2)
        ),
        0.0
    ) AS within,
    coalesce(fsum(numbers.row_count * pow(numbers.value - of_all.mean, 2)), 0.0) AS total
FROM numbers
CROSS JOIN (SELECT fsum(value * row_count) / sum(row_count) AS mean FROM numbers) AS of_all
LEFT JOIN (
    SELECT part, fsum(value * row_count) / sum(row_count) AS mean
    FROM numbers
    GROUP BY part
) AS of_class ON of_class.part = numbers.part
