-- Answers: prices a step on: higher where too few rows are taken, lower where too many are.
-- Reads: prices, the prices of tuples (all columns); filled, the active labels with their tuples (label, cell, cost,
-- row_count, needed); opened, the labels that are worth taking (label).
-- Takes: $step, how much the bound is to rise; $momentum, which part of the last step's direction stays; $units, how
-- many units a loss of 1 has.
-- Gives: the table prices, with the columns of what it reads.
CREATE OR REPLACE TEMP TABLE prices AS
WITH moved AS MATERIALIZED (
    SELECT
        prices.cell,
        prices.row_count,
        prices.price,
        $momentum * prices.direction + (prices.row_count - coalesce(taken.row_count, 0)) / prices.row_count
            AS direction,
        prices.ceiling
    FROM prices
    LEFT JOIN (
        SELECT
            filled.cell,
            sum(CASE WHEN filled.cost < prices.price THEN filled.row_count ELSE filled.needed END) AS row_count
        FROM filled
        SEMI JOIN opened ON opened.label = filled.label
        JOIN prices ON prices.cell = filled.cell
        GROUP BY filled.cell
    ) AS taken ON taken.cell = prices.cell
)
SELECT
    cell,
    row_count,
    greatest(
        0,
        least(
            ceiling,
            round(
                (
                    price
                    + direction * $step
                    / greatest((SELECT sum(round(row_count * direction * direction * 1024)) / 1024 FROM moved), 1e-9)
                ) * $units
            ) / $units
        )
    ) AS price,
    direction,
    ceiling
FROM moved
