-- Answers: how many classes hold other numbers of rows in what was written than in the source as it is generalized. CSV
-- has one mark for NULL and for no text.
-- Reads: written and generalized, the rows of both (qi_value).
-- Takes: written_rows and generalized_rows, how many rows one of them stands for.
-- Gives: different_classes.
SELECT count(*) AS different_classes
FROM (
    SELECT qi_value, TRUE AS is_different
    FROM (
        SELECT coalesce(CAST(qi_value AS VARCHAR), '') AS qi_value, written_rows AS sign
        FROM written
        UNION ALL
        SELECT coalesce(CAST(qi_value AS VARCHAR), '') AS qi_value, -generalized_rows AS sign
        FROM generalized
    ) AS both_tables
    GROUP BY qi_value
    HAVING sum(sign) <> 0
) AS different
