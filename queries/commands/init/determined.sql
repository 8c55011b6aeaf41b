-- Answers: how well one column tells another: the rows that have the most frequent value of the other among those that
-- are equal in the first. A row that is alone in its group says nothing, so one row of each group is not counted.
-- Reads: coded, the tuples by numbers for their values (determining, determined, row_count).
-- Takes: determined, the code of the column that may be told; determining, the code of the column that may tell it.
-- Gives: repeats, agreeing.
SELECT
    CAST(sum(size) - count(*) AS BIGINT) AS repeats,
    CAST(sum(most) - count(*) AS BIGINT) AS agreeing
FROM (
    SELECT
        sum(pairs) AS size,
        max(pairs) AS most
    FROM (
        SELECT
            determining,
            sum(row_count) AS pairs
        FROM coded
        GROUP BY determining, determined
    ) AS combined
    GROUP BY determining
) AS grouped
