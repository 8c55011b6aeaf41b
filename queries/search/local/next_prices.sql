-- Answers: prices a step on: higher where too few rows are taken, lower where too many are.
-- Reads: prices, the prices of tuples (all columns); wanted, the rows that labels would take (cell, row_count, label);
-- opened, the labels that are worth taking (label).
-- Takes: $step, how much the bound is to rise; $units, how many units a loss of 1 has.
-- Gives: the table prices, with the columns of what it reads.
CREATE OR REPLACE TEMP TABLE prices AS
WITH moved AS MATERIALIZED (
    SELECT
        prices.cell,
        prices.row_count,
        prices.price,
        0.6 * prices.direction + (prices.row_count - coalesce(taken.row_count, 0)) / prices.row_count AS direction,
        prices.ceiling
    FROM prices
    LEFT JOIN (
        SELECT wanted.cell, sum(wanted.row_count) AS row_count
        FROM wanted
        SEMI JOIN opened ON opened.label = wanted.label
        GROUP BY wanted.cell
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
