-- Answers: the mean of each class.
-- Reads: held, the values of each class (part, place, number, row_count).
-- Takes: $scale, how many units of a number make one.
-- Gives: part, number, said.
SELECT
    part,
    CAST(sum(number * row_count ORDER BY place) AS DOUBLE) / CAST(sum(row_count) * CAST($scale AS HUGEINT) AS DOUBLE)
        AS number,
    CAST(NULL AS VARCHAR) AS said
FROM held
GROUP BY part
