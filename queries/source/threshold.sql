-- Answers: how near the end of a column the nearest number is that enough rows reach.
-- Reads: numbers, of each row how far its number is from the end of all numbers; NULL where it has none.
-- Takes: least, how many rows are enough; part and whole, also this share of the rows: part of whole.
-- Gives: the distance as text, NULL where there are too few rows.
WITH counted AS (
    SELECT distance, CAST(count(*) AS BIGINT) AS row_count
    FROM numbers
    WHERE distance IS NOT NULL
    GROUP BY distance
),
reached AS (
    SELECT distance, sum(row_count) OVER (ORDER BY distance) AS behind, sum(row_count) OVER () AS row_total
    FROM counted
)
SELECT CAST(min(distance) AS VARCHAR)
FROM reached
WHERE behind >= least AND behind * whole >= part * row_total
