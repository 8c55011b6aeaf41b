-- Answers: rows of the source that may stand behind several combined tuples, and are counted for each.
-- Reads: origins, the rows of the source that stand for a pair of tuples (number, row_count).
-- Takes: nothing.
-- Gives: ambiguous.
SELECT CAST(coalesce(sum(row_count), 0) AS BIGINT) AS ambiguous
FROM (
    SELECT number, any_value(row_count) AS row_count
    FROM kanon.origins
    GROUP BY number
    HAVING count(*) > 1
) AS several
