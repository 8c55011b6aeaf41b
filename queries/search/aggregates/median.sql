-- Answers: the median of each class: of an even number of rows the middle between the two in the middle.
-- Reads: held, the values of each class (part, place, number, row_count).
-- Takes: $scale, how many units of a number make one.
-- Gives: part, number, said.
SELECT
    part,
    CAST(sum(number * ((last_row >= lower_row AND first_row <= lower_row)::INTEGER
        + (last_row >= upper_row AND first_row <= upper_row)::INTEGER)) AS DOUBLE) / (2.0 * $scale) AS number,
    CAST(NULL AS VARCHAR) AS said
FROM (
    SELECT
        part,
        number,
        CAST(sum(row_count) OVER in_order AS BIGINT) AS last_row,
        CAST(sum(row_count) OVER in_order AS BIGINT) - row_count + 1 AS first_row,
        (CAST(sum(row_count) OVER whole AS BIGINT) + 1) // 2 AS lower_row,
        CAST(sum(row_count) OVER whole AS BIGINT) // 2 + 1 AS upper_row
    FROM held
    WINDOW
        in_order AS (PARTITION BY part ORDER BY place ROWS UNBOUNDED PRECEDING),
        whole AS (PARTITION BY part)
) AS ordered
GROUP BY part
