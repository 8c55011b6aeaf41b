-- Answers: what is lost where tuples that are alike stand beside each other and each run of them is a class: its labels
-- are the lowest that all its tuples share. Tuples are alike that share values of the levels with the fewest values. A
-- run of fewer than k rows is part of the class before it, or of the first.
-- Reads: tuples, the frequency table by the codes of every level (cell_name, row_count); qi_costs, what each released
-- value of a quasi-identifier costs (level, code, units).
-- Takes: cell_name, cell_low and cell_high, the codes of a level and what their ends in a class are called; sort_code,
-- the codes of the levels by their number of values; qi_level and qi_code, the level of a class and its code there;
-- qi_units, what a quasi-identifier's sum is called; $k.
-- Gives: one row: the sum over the rows of the units of loss of each quasi-identifier; NULL where no run holds k rows.
WITH ordered AS (
    SELECT
        cell_name,
        row_count,
        sum(row_count) OVER (ORDER BY [LIST_OF(sort_code)] ROWS UNBOUNDED PRECEDING) - row_count AS rows_before
    FROM tuples
),
runs AS (
    SELECT
        rows_before // $k AS run,
        sum(row_count) AS row_count,
        min(cell_name) AS cell_low,
        max(cell_name) AS cell_high
    FROM ordered
    GROUP BY rows_before // $k
),
numbered AS (
    SELECT
        *,
        sum(CASE WHEN row_count >= $k THEN 1 ELSE 0 END) OVER (ORDER BY run ROWS UNBOUNDED PRECEDING) AS large_runs
    FROM runs
),
classes AS (
    SELECT
        sum(row_count) AS row_count,
        min(cell_low) AS cell_low,
        max(cell_high) AS cell_high
    FROM numbered
    GROUP BY greatest(large_runs, 1)
    HAVING sum(row_count) >= $k
)
SELECT CAST(sum(classes.row_count * CAST(qi_costs.units AS HUGEINT)) AS HUGEINT) AS qi_units
FROM classes
JOIN qi_costs ON qi_costs.level = qi_level AND qi_costs.code = qi_code
