-- Answers: the geometric mean of each class, which is 0 where one value is.
-- Reads: held, the values of each class (part, place, number, row_count).
-- Takes: $scale, how many units of a number make one.
-- Gives: part, number, said.
SELECT
    part,
    CASE
        WHEN min(number) > 0
            THEN exp(
                sum(ln(CASE WHEN number > 0 THEN CAST(number AS DOUBLE) / $scale END) * row_count ORDER BY place)
                / CAST(sum(row_count) AS DOUBLE)
            )
        ELSE 0.0
    END AS number,
    CAST(NULL AS VARCHAR) AS said
FROM held
GROUP BY part
